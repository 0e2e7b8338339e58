package dev.rlm.episodes;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Request for the samples of a job.
 *
 * @param dataset the file to read; {@code null} to generate them
 * @param skipBadLines whether to pass over lines of it that cannot be used
 * @param count number of samples to generate
 * @param seed of what is generated: the same seed gives the same samples
 */
public record SampleRequest(@Nullable Path dataset, boolean skipBadLines, int count, long seed) {}

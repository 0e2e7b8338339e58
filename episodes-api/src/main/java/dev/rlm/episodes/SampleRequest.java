package dev.rlm.episodes;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Which samples are wanted.
 *
 * @param dataset the file to read; {@code null} to generate them
 * @param skipBadLines whether to pass over lines of it that cannot be used
 * @param count how many to generate
 * @param seed of what is generated: the same seed gives the same samples
 */
public record SampleRequest(@Nullable Path dataset, boolean skipBadLines, int count, long seed) {}

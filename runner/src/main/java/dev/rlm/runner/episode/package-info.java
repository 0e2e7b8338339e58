/**
 * The loop between what acts ({@link dev.rlm.episodes.Policy}) and what answers ({@link dev.rlm.episodes.Environment}), and
 * the job that runs many such episodes at a time.
 */
@NullMarked
package dev.rlm.runner.episode;

import org.jspecify.annotations.NullMarked;

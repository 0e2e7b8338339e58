/**
 * Episodes: what acts ({@link dev.rlm.runner.episode.Policy}), what answers
 * ({@link dev.rlm.runner.episode.Environment}), the loop between the two, and the job that runs many of them at a time.
 */
@NullMarked
package dev.rlm.runner.episode;

import org.jspecify.annotations.NullMarked;

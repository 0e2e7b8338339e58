/**
 * Recorded runs as verbs of several modules use them: options of verbs about a journal, scores that come late, results, the turns of
 * a model with their tokens, and the agreement of two verdicts.
 */
@NullMarked
package dev.rlm.cli.recorded;

import org.jspecify.annotations.NullMarked;

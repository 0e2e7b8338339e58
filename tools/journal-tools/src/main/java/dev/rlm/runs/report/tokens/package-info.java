/** The audit of the tokens that runs are trained with, and the lengths of trajectories in turns, calls and tokens. */
@NullMarked
package dev.rlm.runs.report.tokens;

import org.jspecify.annotations.NullMarked;

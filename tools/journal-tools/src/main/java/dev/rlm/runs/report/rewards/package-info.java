/** The report of rewards by their sources and parts, and the agreement of two verdicts on the same runs. */
@NullMarked
package dev.rlm.runs.report.rewards;

import org.jspecify.annotations.NullMarked;

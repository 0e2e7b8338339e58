/** The report of the health of a training: facts of runs by training step, and the findings of the rules. */
@NullMarked
package dev.rlm.runs.report.health;

import org.jspecify.annotations.NullMarked;

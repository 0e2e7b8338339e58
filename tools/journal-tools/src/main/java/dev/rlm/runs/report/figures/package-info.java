/** Figures of runs, added a run at a time: results, rewards, costs and ends, of all runs and of each row. */
@NullMarked
package dev.rlm.runs.report.figures;

import org.jspecify.annotations.NullMarked;

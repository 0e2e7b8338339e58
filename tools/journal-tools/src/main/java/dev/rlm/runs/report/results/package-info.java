/** The report of the results of runs, beside those of another side where two are compared, and remarks that all reports share. */
@NullMarked
package dev.rlm.runs.report.results;

import org.jspecify.annotations.NullMarked;

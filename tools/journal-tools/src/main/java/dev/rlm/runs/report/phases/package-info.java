/** The report of the time that runs spend, by kind of work. */
@NullMarked
package dev.rlm.runs.report.phases;

import org.jspecify.annotations.NullMarked;

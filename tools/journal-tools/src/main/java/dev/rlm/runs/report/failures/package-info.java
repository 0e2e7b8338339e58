/** The report of the calls of tools that failed, with their errors. */
@NullMarked
package dev.rlm.runs.report.failures;

import org.jspecify.annotations.NullMarked;

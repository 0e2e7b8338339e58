/** Curves of rewards and reported numbers along training or time, and the evaluated versions of policies. */
@NullMarked
package dev.rlm.runs.report.curves;

import org.jspecify.annotations.NullMarked;

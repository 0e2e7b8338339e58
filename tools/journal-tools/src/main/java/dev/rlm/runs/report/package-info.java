/** The command {@code report}: what the runs of a journal came to, in figures that say what they rest on. */
@NullMarked
package dev.rlm.runs.report;

import org.jspecify.annotations.NullMarked;

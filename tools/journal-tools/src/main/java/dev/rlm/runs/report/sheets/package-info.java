/** The figures and tables that all reports are made of, for a terminal, for Markdown and for programs. */
@NullMarked
package dev.rlm.runs.report.sheets;

import org.jspecify.annotations.NullMarked;

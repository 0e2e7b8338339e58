/**
 * The verbs {@code report} and {@code check}: their options, the journal or the part of it that they are about, and the one pass in which
 * its runs are counted ({@code Reading}) or read off their rows ({@code RunRowReport}). The packages below have the figures
 * ({@link dev.rlm.runs.report.figures}), a package for each kind of report, and the sheets that all are written on
 * ({@link dev.rlm.runs.report.sheets}).
 */
@NullMarked
package dev.rlm.runs.report;

import org.jspecify.annotations.NullMarked;

/** Estimates and tests, on plain numbers: nothing here knows of runs. Formulas and sources are in docs/report.md. */
@NullMarked
package dev.rlm.sinks.schema.statistics;

import org.jspecify.annotations.NullMarked;

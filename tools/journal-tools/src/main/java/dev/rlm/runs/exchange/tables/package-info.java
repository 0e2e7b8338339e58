/** Tables of runs, steps, rewards and calls, written as CSV and as Parquet. */
@NullMarked
package dev.rlm.runs.exchange.tables;

import org.jspecify.annotations.NullMarked;

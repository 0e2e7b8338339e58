/** Cost of reading a journal: reports and exports, beside a database that reads the same file. */
@NullMarked
package dev.rlm.benchmarks.reading;

import org.jspecify.annotations.NullMarked;

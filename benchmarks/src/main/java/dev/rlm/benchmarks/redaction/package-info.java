/** Figures of redaction: its cost, and what it finds. */
@NullMarked
package dev.rlm.benchmarks.redaction;

import org.jspecify.annotations.NullMarked;

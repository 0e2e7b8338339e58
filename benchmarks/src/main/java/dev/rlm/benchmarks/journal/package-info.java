/** Rate of events that the journal takes, and cost of writing one down. */
@NullMarked
package dev.rlm.benchmarks.journal;

import org.jspecify.annotations.NullMarked;

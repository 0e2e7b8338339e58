/** What the journal takes, and what it costs to write an event down. */
@NullMarked
package dev.rlm.benchmarks.journal;

import org.jspecify.annotations.NullMarked;

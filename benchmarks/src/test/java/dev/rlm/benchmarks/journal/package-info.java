/** That what the journal takes can be measured. */
@org.jspecify.annotations.NullMarked
package dev.rlm.benchmarks.journal;

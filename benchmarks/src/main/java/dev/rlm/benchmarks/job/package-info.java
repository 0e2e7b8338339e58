/** What watching costs a whole job, and how long the program takes to start. */
@NullMarked
package dev.rlm.benchmarks.job;

import org.jspecify.annotations.NullMarked;

/** Cost of watching a whole job, and time that the program takes to start. */
@NullMarked
package dev.rlm.benchmarks.job;

import org.jspecify.annotations.NullMarked;

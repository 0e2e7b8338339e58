/** Processor time and memory that the sinks take while nothing happens. */
@NullMarked
package dev.rlm.benchmarks.rest;

import org.jspecify.annotations.NullMarked;

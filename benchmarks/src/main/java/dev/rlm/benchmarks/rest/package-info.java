/** What the sinks take while nothing happens: processor time, and memory. */
@NullMarked
package dev.rlm.benchmarks.rest;

import org.jspecify.annotations.NullMarked;

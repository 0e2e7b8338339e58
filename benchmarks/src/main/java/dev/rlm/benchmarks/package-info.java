/** Programs that measure what the sinks cost a runner, and whether they hold out. Never published. */
@NullMarked
package dev.rlm.benchmarks;

import org.jspecify.annotations.NullMarked;

@NullMarked
package dev.rlm.benchmarks.caller;

import org.jspecify.annotations.NullMarked;

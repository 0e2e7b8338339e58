/** The runner: runs episodes and records them through whatever sinks are there. Starts at {@link dev.rlm.runner.Main}. */
@NullMarked
package dev.rlm.runner;

import org.jspecify.annotations.NullMarked;

/** The runner: runs episodes and records them through whatever sinks are there. Starts at {@link dev.rlm.cli.launcher.Main}. */
@NullMarked
package dev.rlm.cli.launcher;

import org.jspecify.annotations.NullMarked;

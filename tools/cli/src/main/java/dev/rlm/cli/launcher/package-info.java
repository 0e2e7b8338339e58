/** Launcher of the program {@code rlm}, which starts at {@link dev.rlm.cli.launcher.Main}: finds the verb that is asked for. */
@NullMarked
package dev.rlm.cli.launcher;

import org.jspecify.annotations.NullMarked;

/** Tests of the console: the verb {@code view} as a process of its own, and what it answers. */
@NullMarked
package dev.rlm.console;

import org.jspecify.annotations.NullMarked;

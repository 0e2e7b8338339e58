/** Text for people at a terminal, and what they type. */
@NullMarked
package dev.rlm.runner.terminal;

import org.jspecify.annotations.NullMarked;

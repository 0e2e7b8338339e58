/** Text for people on a terminal, JSON for programs. */
@NullMarked
package dev.rlm.cli.terminal;

import org.jspecify.annotations.NullMarked;

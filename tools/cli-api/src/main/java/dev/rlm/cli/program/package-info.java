/** The program {@code rlm}: finds its verbs and executes the one that is asked for. */
@NullMarked
package dev.rlm.cli.program;

import org.jspecify.annotations.NullMarked;

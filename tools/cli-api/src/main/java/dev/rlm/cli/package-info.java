/** Verbs of the program {@code rlm}: what each is made of, and the options that many share. */
@NullMarked
package dev.rlm.cli;

import org.jspecify.annotations.NullMarked;

/** Where commands meet the terminal: text for people, JSON for programs, what is typed, and Ctrl-C. */
@NullMarked
package dev.rlm.runner.terminal;

import org.jspecify.annotations.NullMarked;

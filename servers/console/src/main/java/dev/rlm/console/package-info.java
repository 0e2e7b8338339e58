/**
 * Shows journals in a browser. The server knows no figures: what a page shows is what a verb of the program prints with {@code --json},
 * run in this process.
 */
@NullMarked
package dev.rlm.console;

import org.jspecify.annotations.NullMarked;

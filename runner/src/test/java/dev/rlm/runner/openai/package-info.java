/** Whole runs against a server that says what a test wants. */
@NullMarked
package dev.rlm.runner.openai;

import org.jspecify.annotations.NullMarked;

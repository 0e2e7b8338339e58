/** The verb {@code jobs}: what runs were asked for together, and what became of it. */
@NullMarked
package dev.rlm.runner.history;

import org.jspecify.annotations.NullMarked;

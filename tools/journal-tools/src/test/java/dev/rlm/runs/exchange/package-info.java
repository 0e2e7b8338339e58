/** Runs on their way out of a journal and into it. */
@NullMarked
package dev.rlm.runs.exchange;

import org.jspecify.annotations.NullMarked;

/** Runs on their way out of a journal and into it. */
@NullMarked
package dev.rlm.journal.exchange;

import org.jspecify.annotations.NullMarked;

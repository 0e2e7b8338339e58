/** The commands that look into a journal: {@code list} and {@code show}. */
@NullMarked
package dev.rlm.journal;

import org.jspecify.annotations.NullMarked;

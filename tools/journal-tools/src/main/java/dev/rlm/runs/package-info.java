/** Verbs about journals: {@code list}, {@code show}, {@code resend} and {@code recover}. */
@NullMarked
package dev.rlm.runs;

import org.jspecify.annotations.NullMarked;

/** A run as import and export see it: its messages as a chat, and its fields. */
@NullMarked
package dev.rlm.runs.exchange.transcript;

import org.jspecify.annotations.NullMarked;

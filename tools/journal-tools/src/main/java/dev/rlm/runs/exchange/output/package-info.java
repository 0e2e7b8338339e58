/** The destination of an export, and the base of all formats that are written. */
@NullMarked
package dev.rlm.runs.exchange.output;

import org.jspecify.annotations.NullMarked;

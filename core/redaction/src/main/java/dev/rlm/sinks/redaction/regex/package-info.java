/**
 * Regular expressions of secrets as automata that are built while they run, with a bound on their time, and the escapes that text may hold.
 */
@NullMarked
package dev.rlm.sinks.redaction.regex;

import org.jspecify.annotations.NullMarked;

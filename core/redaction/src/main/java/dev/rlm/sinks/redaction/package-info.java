/**
 * Takes secrets out of text before any sink sees it. Who knows of secrets that are not found by themselves implements
 * {@link dev.rlm.sinks.Redactor}.
 */
@NullMarked
package dev.rlm.sinks.redaction;

import org.jspecify.annotations.NullMarked;

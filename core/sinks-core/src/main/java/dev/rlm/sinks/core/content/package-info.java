/**
 * Content of events before a sink sees it: redacted texts, files that are read, prices, and words for errors.
 */
@NullMarked
package dev.rlm.sinks.core.content;

import org.jspecify.annotations.NullMarked;

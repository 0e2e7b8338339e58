/** The records of files that others wrote, mostly JSON, and the settings, times and events that all importers share. */
@NullMarked
package dev.rlm.runs.exchange.input;

import org.jspecify.annotations.NullMarked;

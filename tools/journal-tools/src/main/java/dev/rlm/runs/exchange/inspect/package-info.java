/** The logs of Inspect, as documents and as zip archives. */
@NullMarked
package dev.rlm.runs.exchange.inspect;

import org.jspecify.annotations.NullMarked;

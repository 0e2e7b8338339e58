/** Takes what programs send by OTLP, keeps it, and makes runs of it. */
@NullMarked
package dev.rlm.collector;

import org.jspecify.annotations.NullMarked;

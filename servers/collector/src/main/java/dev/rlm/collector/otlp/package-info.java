/** Requests of OTLP in protobuf and JSON: read one record after the other, and answered. */
@NullMarked
package dev.rlm.collector.otlp;

import org.jspecify.annotations.NullMarked;

@NullMarked
package dev.rlm.sinks.schema.statistics;

import org.jspecify.annotations.NullMarked;

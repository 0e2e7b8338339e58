/**
 * Names of what events carry: fields with kind and limits, read off the declarations of their records; labels of numbers; and
 * the rules of figures that a report, a summary and a sink compute alike.
 */
@NullMarked
package dev.rlm.sinks.schema;

import org.jspecify.annotations.NullMarked;

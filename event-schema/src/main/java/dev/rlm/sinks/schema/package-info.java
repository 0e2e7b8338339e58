/** Names of what events carry: fields with kind and limits, read off the declarations of their records; labels of numbers. */
@NullMarked
package dev.rlm.sinks.schema;

import org.jspecify.annotations.NullMarked;

@NullMarked
package dev.rlm.sinks.jsonl;

import org.jspecify.annotations.NullMarked;

/** What it costs to look for secrets in a text. */
@NullMarked
package dev.rlm.benchmarks.redaction;

import org.jspecify.annotations.NullMarked;

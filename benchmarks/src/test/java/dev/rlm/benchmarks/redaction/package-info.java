@NullMarked
package dev.rlm.benchmarks.redaction;

import org.jspecify.annotations.NullMarked;

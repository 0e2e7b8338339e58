/** The calculator environment, and where its problems come from: a seed, or a file in GSM8K's format. */
@NullMarked
package dev.rlm.runner.calc;

import org.jspecify.annotations.NullMarked;

/**
 * The demonstration: a calculator as an environment, and problems for it from a seed, or of a file in GSM8K's format, which other
 * environments take as well.
 */
@NullMarked
package dev.rlm.runner.demo;

import org.jspecify.annotations.NullMarked;

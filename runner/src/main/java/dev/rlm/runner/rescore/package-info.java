/** The verb {@code rescore}: reward functions and judges over recorded runs. */
@NullMarked
package dev.rlm.runner.rescore;

import org.jspecify.annotations.NullMarked;

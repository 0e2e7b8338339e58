/** The verb {@code worker}: episodes that a trainer's queue holds. */
@NullMarked
package dev.rlm.runner.worker;

import org.jspecify.annotations.NullMarked;

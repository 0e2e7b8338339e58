/** Engines, which run the episodes of a job: in this process, or on many machines. */
@NullMarked
package dev.rlm.engine;

import org.jspecify.annotations.NullMarked;

/** Runs that are done again from their records: what a model said and did comes from there, and all else is compared with it. */
@NullMarked
package dev.rlm.runner.replay;

import org.jspecify.annotations.NullMarked;

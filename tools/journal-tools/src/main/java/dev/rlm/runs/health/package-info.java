/** The health of a training: rules about the numbers that its trainer reported, and about what its runs came to. */
@NullMarked
package dev.rlm.runs.health;

import org.jspecify.annotations.NullMarked;

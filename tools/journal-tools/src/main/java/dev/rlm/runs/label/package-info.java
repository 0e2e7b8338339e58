/** The verb {@code label}: what persons say of recorded runs, and how far judges agree with them. */
@NullMarked
package dev.rlm.runs.label;

import org.jspecify.annotations.NullMarked;

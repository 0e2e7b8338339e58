/** Agents that are built on Google's Agent Development Kit, recorded. */
@NullMarked
package dev.rlm.adk;

import org.jspecify.annotations.NullMarked;

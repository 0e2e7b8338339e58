/** Policies that need no model: one that acts by a script, and one that replays what models have said. */
@NullMarked
package dev.rlm.runner.policy;

import org.jspecify.annotations.NullMarked;

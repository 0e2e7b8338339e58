/** Runs code of agents in a sandbox, within limits. */
@NullMarked
package dev.rlm.runner.sandbox;

import org.jspecify.annotations.NullMarked;

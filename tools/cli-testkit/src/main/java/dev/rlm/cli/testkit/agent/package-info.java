/** Agents that are recorded, whatever library they are built on. */
@NullMarked
package dev.rlm.cli.testkit.agent;

import org.jspecify.annotations.NullMarked;

/** The recordings of other agent programs: SWE-agent and rlm-code. */
@NullMarked
package dev.rlm.runs.exchange.agents;

import org.jspecify.annotations.NullMarked;

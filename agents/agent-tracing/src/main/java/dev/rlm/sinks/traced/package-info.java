/**
 * Wrappers that record what an agent calls, its models and its tools, without a change to the agent: see
 * {@link dev.rlm.sinks.traced.Traced}.
 */
@NullMarked
package dev.rlm.sinks.traced;

import org.jspecify.annotations.NullMarked;

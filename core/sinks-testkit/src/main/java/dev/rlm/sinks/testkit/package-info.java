/**
 * Test tools for authors of sinks: {@link dev.rlm.sinks.testkit.SinkContractTest}, which every sink passes;
 * {@link dev.rlm.sinks.testkit.InMemorySink}, which keeps what it is given; {@link dev.rlm.sinks.testkit.Events},
 * examples of every event.
 */
@NullMarked
package dev.rlm.sinks.testkit;

import org.jspecify.annotations.NullMarked;

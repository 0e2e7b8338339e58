/**
 * Sinks that misbehave, for tests of programs that run or make sinks: a {@link dev.rlm.sinks.testkit.fault.HostileSink}
 * has a {@link dev.rlm.sinks.testkit.fault.Fault} in one or several of its
 * {@linkplain dev.rlm.sinks.testkit.fault.Callback callbacks}. A fault that hangs waits at a
 * {@link dev.rlm.sinks.testkit.fault.Gate}, which the test opens when it has seen enough.
 *
 * <pre>{@code
 * Gate gate = new Gate();
 * HostileSink hanging = HostileSink.with(Fault.hanging(gate), Callback.ON_EVENT).patience(Duration.ofSeconds(1));
 * InMemorySink healthy = new InMemorySink();
 * try (Sinks sinks = Sinks.builder().add("hanging", hanging).add("healthy", healthy).build()) {
 *     ...                                  // your runner, which must not notice
 * } finally {
 *     gate.open();                         // so that no thread is left behind
 * }
 * assertThat(healthy.events()).hasSize(...);
 * }</pre>
 *
 * <p>A whole program is put to the test by {@link dev.rlm.sinks.testkit.fault.HostileSinkProvider}, which variables tell
 * how to misbehave.
 */
@NullMarked
package dev.rlm.sinks.testkit.fault;

import org.jspecify.annotations.NullMarked;

package dev.rlm.sinks;

/**
 * Records a stretch of time that the user has named: a phase of a pipeline such as {@code generate} or {@code train}, or
 * work inside a step. Used in a try block; closing it is its end. Sinks hear of it then, as a
 * {@link dev.rlm.sinks.event.SpanRecorded}.
 *
 * <p>Belongs to the {@link Run}, {@link Step} or span that it was got from; one that lies in no run to the hub ({@link Sinks#span}). It may outlast its step, but not its run, whose
 * end ends it as failed. Safe for use by several threads. No method throws. What is said of it after its end is counted as
 * dropped.
 */
public interface Span extends Activity, AutoCloseable {
    /** The shared span that records nothing. */
    Span NOOP = new Span() {};

    /** A further fact about it: a string, a number or a boolean. The last one of a name counts. */
    default Span attribute(String name, Object value) {
        return this;
    }

    /** Says that the work did not succeed, and why. It goes on until it is closed. */
    default void fail(String error) {}

    /** Says that the work did not succeed, by what was thrown. It goes on until it is closed. */
    default void fail(Throwable error) {
        fail(String.valueOf(error));
    }

    /** Ends it. */
    @Override
    default void close() {}
}

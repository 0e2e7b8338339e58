package dev.rlm.sinks;

/** Something is current on this thread until the scope is closed, on the same thread. */
@FunctionalInterface
public interface Scope extends AutoCloseable {
    /** Nothing was made current. */
    Scope NONE = () -> {};

    @Override
    void close();
}

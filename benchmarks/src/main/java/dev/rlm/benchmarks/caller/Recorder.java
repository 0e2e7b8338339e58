package dev.rlm.benchmarks.caller;

import java.io.IOException;
import java.io.UncheckedIOException;

/** One way to record steps. Each thread that does has a {@link Track} of its own. */
interface Recorder extends AutoCloseable {
    /** Returns a track that one thread records on. */
    Track track();

    /** Waits until nothing goes on in the background any more. */
    void settle();

    @Override
    void close();

    /** A run that goes on, recorded by one thread. */
    @FunctionalInterface
    interface Track {
        /** Records the step of that number. */
        void step(int number);
    }

    /** The ways there are, by the names that JMH's parameters and programs are given. */
    enum Kind {
        RAW_SDK_IDLE,
        RAW_SDK_BATCH,
        RAW_SDK_CURRENT,
        RLM,
        RLM_CURRENT;

        Recorder open() {
            try {
                return switch (this) {
                    case RAW_SDK_IDLE -> RawSdk.idle();
                    case RAW_SDK_BATCH -> RawSdk.batching(false);
                    case RAW_SDK_CURRENT -> RawSdk.batching(true);
                    case RLM -> new Rlm(false);
                    case RLM_CURRENT -> new Rlm(true);
                };
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

package dev.rlm.benchmarks.journal;

import java.io.IOException;
import java.nio.file.Path;

/** One way to bring a run's steps into files of JSON, an event a line. */
interface Recorder extends AutoCloseable {
    /** A run that goes on, recorded by one thread. */
    Track track();

    /** Returns when every event is in its file. */
    @Override
    void close() throws IOException;

    /** Records one step: its start with one text and its end with two. It waits where there is no room. */
    @FunctionalInterface
    interface Track {
        void step(int number);
    }

    /** The ways there are. */
    enum Kind {
        JOURNAL,
        LOGBACK,
        LOG4J;

        /** Opens one that writes into the folder. */
        Recorder open(Path folder) throws IOException {
            return switch (this) {
                case JOURNAL -> new Journaled(folder);
                case LOGBACK -> new Logback(folder);
                case LOG4J -> new Log4j(folder);
            };
        }
    }
}

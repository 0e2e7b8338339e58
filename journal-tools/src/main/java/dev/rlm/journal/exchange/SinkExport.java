package dev.rlm.journal.exchange;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.Replay;
import dev.rlm.sinks.jsonl.Resent;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.function.IntConsumer;

/** Runs in a form that a sink knows: they are sent again, through a sink that writes to the file. */
final class SinkExport {
    private static final Duration CLOSING = Duration.ofSeconds(5);
    private static final Duration GIVING_UP = Duration.ofMillis(500); // the file is thrown away

    private final SinkProvider provider;
    private final String format;
    private final SinkConfig config;

    SinkExport(SinkProvider provider, String format, SinkConfig config) {
        this.provider = provider;
        this.format = format;
        this.config = config;
    }

    /**
     * Writes the runs; returns when they have been written, or could not be.
     *
     * @param ended told how many runs have been sent so far
     */
    Resent write(Path journal, Set<String> runs, OutputStream out, IntConsumer ended) {
        Sink sink = provider.createExport(format, out, config);
        Sinks sinks = Sinks.builder().resending().add(format, sink).build();
        Duration closeTime = GIVING_UP;
        try {
            Resent resent = Replay.of(journal).only(runs).sendTo(sinks, ended);
            closeTime = resent.interrupted() ? GIVING_UP : CLOSING;
            return resent;
        } finally {
            sinks.close(closeTime);
        }
    }
}

package dev.rlm.runs.exchange;

import dev.rlm.journal.recovery.Replay;
import dev.rlm.journal.recovery.Resent;
import dev.rlm.runs.exchange.output.Export;
import dev.rlm.runs.exchange.output.ExportFormat;
import dev.rlm.runs.exchange.output.ExportStream;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A format that a sink knows: runs are sent again, through a sink that writes to the file. */
record SinkExport(SinkProvider provider, String name, SinkConfig config) implements ExportFormat {
    private static final Duration CLOSING = Duration.ofSeconds(5);
    private static final Duration GIVING_UP = Duration.ofMillis(500); // the file is thrown away

    /** The formats of all sinks that the configuration can choose. */
    static Stream<ExportFormat> all(SinkConfig config) {
        return Sinks.providers(config).stream()
                .flatMap(provider ->
                        provider.exportFormats().stream().map(name -> new SinkExport(provider, name, config)));
    }

    @Override
    public void write(Export export) throws IOException {
        ExportStream out = export.open("");
        Resent resent = send(export, out);
        out.check();
        if (resent.interrupted()) {
            throw new InterruptedIOException();
        } else if (!resent.isComplete()) {
            throw new IOException(resent.sinks().stream()
                    .map(Resent.ToSink::problem)
                    .filter(problem -> !problem.isEmpty())
                    .collect(Collectors.joining("; ")));
        }
        export.damaged(resent.damagedLines());
        export.written(resent.runs(), out.lines());
    }

    private Resent send(Export export, ExportStream out) {
        Set<String> runs = export.runs().stream().map(run -> run.runId()).collect(Collectors.toSet());
        Sink sink = provider.createExport(name, out, config);
        Sinks sinks = Sinks.builder().resending().add(name, sink).build();
        Duration closeTime = GIVING_UP;
        try {
            Resent resent = Replay.of(export.journal()).only(runs).sendTo(sinks, export::passed);
            closeTime = resent.interrupted() ? GIVING_UP : CLOSING;
            return resent;
        } finally {
            sinks.close(closeTime);
        }
    }
}

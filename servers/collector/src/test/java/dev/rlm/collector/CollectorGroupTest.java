package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.Commits;
import dev.rlm.collector.otlp.ExportRequest;
import dev.rlm.collector.otlp.Signal;
import dev.rlm.collector.runs.RunSettings;
import dev.rlm.server.http.MemoryBudget;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunEnded;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs that end at the same time. */
@Timeout(60)
class CollectorGroupTest {
    private static final int RUNS = 40;
    private static final long HEAP = 64 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private final RecordingSink sink = new RecordingSink();

    @Test
    void runs_thatEndTogether_shareSyncs() throws Exception {
        assertThat(endRuns()).isZero();

        assertThat(sink.ended).hasSize(RUNS);
        assertThat(sink.flushes.get()).isLessThan(RUNS / 4);
    }

    @Test
    void runs_ofAGroupThatWasNotSynced_endOneByOne() throws Exception {
        sink.failures.set(1);

        assertThat(endRuns()).isZero();

        assertThat(sink.ended).hasSize(RUNS);
    }

    /** Collects runs and ends them all; returns how many wait afterwards. */
    private int endRuns() throws Exception {
        try (Sinks sinks = Sinks.builder().add("recording", sink).build();
                Spool spool = new Spool(folder.resolve("spool"))) {
            EndedRuns ended = new EndedRuns(folder.resolve("ended"), Set::of);
            OpenTraces.Limits limits = new OpenTraces.Limits(PATIENCE, PATIENCE, HEAP);
            Collector collector = new Collector(
                    sinks,
                    new Commits(sinks, PATIENCE),
                    spool,
                    new OpenTraces(limits, HEAP, ended),
                    new RunSettings(null, 1.0, true));
            for (int trace = 1; trace <= RUNS; trace++) {
                byte[] request = Otlp.request(Otlp.of(trace, 1, 0, "chat m", Map.of("gen_ai.operation.name", "chat"))
                                .build())
                        .toByteArray();
                collector.take(
                        Signal.TRACES, ExportRequest.protobuf(Signal.TRACES, request), new MemoryBudget(HEAP).share());
            }
            sink.isCounting = true;
            collector.endWhole();
            sink.isCounting = false;
            return collector.waiting();
        }
    }

    /** A durable sink that counts how often it is flushed, and fails to a number of times. */
    private static final class RecordingSink implements Sink {
        private final Set<String> ended = ConcurrentHashMap.newKeySet();
        private final AtomicInteger flushes = new AtomicInteger();
        private final AtomicInteger failures = new AtomicInteger();
        private volatile boolean isCounting;

        @Override
        public boolean isDurable() {
            return true;
        }

        @Override
        public void onRunEnded(RunEnded event) {
            ended.add(event.run().runId());
        }

        @Override
        public boolean flush(Duration timeout) {
            if (isCounting) {
                flushes.incrementAndGet();
                return failures.getAndUpdate(left -> Math.max(0, left - 1)) == 0;
            }
            return true;
        }
    }
}

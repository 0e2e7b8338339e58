package dev.rlm.benchmarks.otlp;

import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.redaction.VariedTexts;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A hub with the OpenTelemetry sink, with or without the journal, which waits where a queue is half full. */
final class RlmFeed implements StepFeed {
    private static final int STEPS_BETWEEN_LOOKS = 1_024;
    private static final long MOST_QUEUED = 24 * STEPS_BETWEEN_LOOKS; // events; the queue has room for 64 Ki
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10); // an answer costs the sink something

    private final TemporaryFolder folder;
    private final Sinks hub;
    private long steps;

    private RlmFeed(String endpoint, Map<String, String> more) throws IOException {
        folder = TemporaryFolder.create("feed");
        hub = hub(folder.path(), endpoint, more);
    }

    /** One with the OpenTelemetry sink alone, which redacts or does not. */
    static RlmFeed ofTraces(String endpoint, boolean redacted) throws IOException {
        return new RlmFeed(endpoint, Map.of("RLM_JSONL_ENABLED", "false", "RLM_REDACT", Boolean.toString(redacted)));
    }

    /** One with both sinks. */
    static RlmFeed ofAll(String endpoint) throws IOException {
        return new RlmFeed(endpoint, Map.of());
    }

    /** Opens a hub with the journal in that folder and the OpenTelemetry sink. */
    static Sinks allSinks(Path folder, String endpoint) {
        return hub(folder, endpoint, Map.of());
    }

    private static Sinks hub(Path folder, String endpoint, Map<String, String> more) {
        Map<String, String> variables = new HashMap<>(more);
        variables.put("RLM_JSONL_DIR", folder.toString());
        variables.put("RLM_OTEL_ENABLED", "true");
        variables.put("OTEL_EXPORTER_OTLP_PROTOCOL", Way.PROTOCOL);
        variables.put("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
        return Sinks.builder().config(SinkConfig.of(variables)).build();
    }

    @Override
    public void run(int count) {
        run(hub, count, this::awaitRoom);
    }

    /** Records a run of so many steps, with a pause after each. */
    static void run(Sinks hub, int count, Runnable pause) {
        RunSpec spec = RunSpec.builder(ENVIRONMENT).model(MODEL).task("a task").build();
        try (Run run = hub.startRun(spec)) {
            for (int i = 0; i < count; i++) {
                try (Step step = run.startStep()) {
                    step.action(ACTION, VariedTexts.code(i));
                    step.reward(REWARD);
                    step.complete(VariedTexts.output(i));
                }
                pause.run();
            }
            run.complete("an answer");
        }
    }

    private void awaitRoom() {
        if (++steps % STEPS_BETWEEN_LOOKS == 0) {
            while (hub.statuses().stream().anyMatch(status -> status.ledger().queued() > MOST_QUEUED)) {
                LockSupport.parkNanos(NAP_NANOS);
            }
        }
    }

    @Override
    public int spansOfRun() {
        return 2; // its own, and the marker of its start
    }

    @Override
    public boolean isComplete() {
        return true;
    }

    @Override
    public void settle() {
        if (!hub.flush(LONG).isComplete()) {
            throw new IllegalStateException("not everything arrived: " + hub.statuses());
        }
    }

    @Override
    public void close() {
        hub.close(LONG);
        try {
            folder.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package dev.rlm.benchmarks.otlp;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.otel.OtelSink;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A hub with the OpenTelemetry sink alone, which waits where its queue is half full. */
final class RlmFeed implements StepFeed {
    private static final int STEPS_BETWEEN_LOOKS = 1_024;
    private static final long MOST_QUEUED = 24 * STEPS_BETWEEN_LOOKS; // events; the queue has room for 64 Ki
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10); // an answer costs the sink something

    private final Sinks hub;
    private long steps;

    RlmFeed(String endpoint) {
        hub = Sinks.builder()
                .add(
                        "otel",
                        OtelSink.builder()
                                .property("otel.exporter.otlp.endpoint", endpoint)
                                .property("otel.exporter.otlp.protocol", Way.PROTOCOL)
                                .build())
                .build();
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
                    step.action(ACTION, CODE);
                    step.reward(REWARD);
                    step.complete(OUTPUT);
                }
                pause.run();
            }
            run.complete("an answer");
        }
    }

    private void awaitRoom() {
        if (++steps % STEPS_BETWEEN_LOOKS == 0) {
            while (hub.statuses().get(0).ledger().queued() > MOST_QUEUED) {
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
    }
}

package dev.rlm.benchmarks.caller;

import dev.rlm.benchmarks.Receiver;
import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.otel.OtelSink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/** The hub with the journal, synced, and the OpenTelemetry sink, which sends to a receiver on this machine. */
final class Rlm implements Recorder {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final boolean current;
    private final TemporaryFolder folder = TemporaryFolder.create("caller");
    private final Receiver receiver = new Receiver();
    private final Sinks hub;

    /** One whose steps are current while they last, or are not. */
    Rlm(boolean current) throws IOException {
        this.current = current;
        hub = Sinks.builder()
                .add(
                        "jsonl",
                        JsonlSink.builder()
                                .directory(folder.path())
                                .rotateSize(64_000_000)
                                .keepSize(256_000_000)
                                .compress(false)
                                .build())
                .add(
                        "otel",
                        OtelSink.builder()
                                .property(
                                        "otel.exporter.otlp.endpoint",
                                        receiver.endpoint().toString())
                                .property("otel.exporter.otlp.protocol", "http/protobuf")
                                .build())
                .build();
    }

    @Override
    public Track track() {
        Run run = hub.startRun(RunSpec.builder("benchmark").task("a task").build());
        return current ? () -> currentStep(run) : () -> step(run);
    }

    private static void step(Run run) {
        try (Step step = run.startStep()) {
            record(step);
        }
    }

    private static void currentStep(Run run) {
        try (Step step = run.startStep();
                Scope ignored = step.makeCurrent()) {
            record(step);
        }
    }

    private static void record(Step step) {
        step.action("run_python", StepTexts.CODE);
        step.reward(0.5);
        step.complete(StepTexts.OUTPUT);
    }

    @Override
    public void settle() {
        hub.flush(LONG);
    }

    @Override
    public void close() {
        hub.close(LONG);
        receiver.close();
        try {
            folder.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

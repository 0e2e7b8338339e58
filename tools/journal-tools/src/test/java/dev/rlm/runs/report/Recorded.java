package dev.rlm.runs.report;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** A journal to report on. The clock goes on by a millisecond whenever it is asked. */
public final class Recorded {
    private final Path directory;
    private final AtomicLong millis = new AtomicLong();

    public Recorded(Path directory) {
        this.directory = directory;
    }

    /** A hub that records into the journal, later than those before. */
    public Sinks open() {
        millis.incrementAndGet();
        return Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(directory).build())
                .clocks(
                        () -> Instant.parse("2026-03-01T10:20:30Z").plusMillis(millis.get()),
                        () -> Duration.ofMillis(millis.incrementAndGet()).toNanos())
                .build();
    }

    public static RunSpec.Builder spec(String model, String sample) {
        return RunSpec.builder("shop")
                .model(model)
                .correlation(Correlation.builder().sample(sample).build());
    }

    public void record(RunSpec.Builder spec, Consumer<Run> running) {
        try (Sinks sinks = open();
                Run run = sinks.startRun(spec.build())) {
            running.accept(run);
        }
    }

    /** A completed run for each reward. */
    public void completed(String model, String sample, double... rewards) {
        try (Sinks sinks = open()) {
            completed(sinks, model, sample, rewards);
        }
    }

    /** A completed run for each reward, recorded by one hub with others. */
    public static void completed(Sinks sinks, String model, String sample, double... rewards) {
        for (double reward : rewards) {
            try (Run run = sinks.startRun(spec(model, sample).build())) {
                run.reward(reward);
                run.complete("done", "stop");
            }
        }
    }

    public Cli report(String... options) {
        return Cli.with(
                Map.of(),
                Stream.concat(Stream.of("report", "--journal", directory.toString()), Stream.of(options))
                        .toArray(String[]::new));
    }

    public JsonNode json(String... options) {
        Cli report =
                report(Stream.concat(Stream.of("--json"), Stream.of(options)).toArray(String[]::new));
        if (report.exitCode() != 0) {
            throw new AssertionError(report.err());
        }
        return new ObjectMapper().readTree(report.out());
    }
}

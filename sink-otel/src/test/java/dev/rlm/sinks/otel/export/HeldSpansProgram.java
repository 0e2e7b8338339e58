package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.otel.OtelSink;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Many open runs with large steps, none of which is to be kept; says how much was held. Run by {@link HeldSpansTest}. */
final class HeldSpansProgram {
    static final int HEAP_MEGABYTES = 96;
    static final int RUNS = 30;
    static final int STEPS = 120;
    static final long LARGEST_SPAN = 4_000;

    private static final int STEPS_AT_ONCE = 20; // between flushes, so that no queue overflows
    private static final String TEXT = "x".repeat(1_000);

    private final Sinks sinks;
    private long mostHeld;

    private HeldSpansProgram(String endpoint) {
        sinks = Sinks.builder()
                .add(
                        "otel",
                        OtelSink.builder()
                                .endpoint(URI.create(endpoint))
                                .metrics(false)
                                .successRatio(0)
                                .build())
                .build();
    }

    @SuppressWarnings("SystemOut") // what it has to say
    public static void main(String[] args) {
        HeldSpansProgram program = new HeldSpansProgram(args[0]);
        program.run();
        program.say().forEach((name, value) -> System.out.println(name + "=" + value));
    }

    private void run() {
        List<Run> runs = IntStream.range(0, RUNS)
                .mapToObj(i ->
                        sinks.startRun(RunSpec.builder("calc").runId("run-" + i).build()))
                .toList();
        for (int i = 0; i < STEPS / STEPS_AT_ONCE; i++) {
            runs.forEach(HeldSpansProgram::steps);
            flush();
        }
        runs.forEach(run -> run.complete(""));
        flush();
    }

    private static void steps(Run run) {
        for (int i = 0; i < STEPS_AT_ONCE; i++) {
            try (Step step = run.startStep()) {
                step.action("code", TEXT);
                step.complete(TEXT);
            }
        }
    }

    private void flush() {
        if (!sinks.flush(Duration.ofSeconds(60)).isComplete()) {
            throw new IllegalStateException("the flush failed: " + status());
        }
        mostHeld = Math.max(mostHeld, (long) status().facts().getOrDefault("held_bytes", 0L));
    }

    private SinkStatus status() {
        return sinks.statuses().get(0);
    }

    private Map<String, Object> say() {
        Map<String, Object> facts = new TreeMap<>(status().facts());
        facts.put("most_held", mostHeld);
        facts.put("lost", status().ledger().lost());
        facts.put("queued", status().ledger().queued());
        sinks.close();
        return facts;
    }
}

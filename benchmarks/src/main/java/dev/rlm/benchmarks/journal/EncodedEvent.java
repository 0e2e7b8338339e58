package dev.rlm.benchmarks.journal;

import dev.rlm.benchmarks.Texts;
import dev.rlm.benchmarks.figure.CallerBytes;
import dev.rlm.journal.JournalJson;
import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Cost of writing a step's end, redacted beforehand, as a line into a buffer that is used again. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 150, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 100, timeUnit = TimeUnit.MILLISECONDS)
public class EncodedEvent {
    private static final int LINES = 64; // until the buffer is emptied
    private static final int LENGTH = 500;

    private final LineBuffer lines = new LineBuffer();
    private final JacksonLines jackson = new JacksonLines(lines);
    private final StepEnded event = event();

    private static StepEnded event() {
        Texts texts = new Texts(1);
        RunInfo run = RunInfoBuilder.builder()
                .runId("run-0123456789abcdef")
                .startedAt(Instant.parse("2026-01-01T10:00:00.123456789Z"))
                .task(Content.redacted("a task"))
                .environment("benchmark")
                .model("model")
                .build();
        return StepEndedBuilder.builder()
                .started(new StepStarted(run, 41, 1_000_000, 20, 0, Content.EMPTY))
                .seq(43)
                .nanos(17_123_456)
                .actionType("run_python")
                .code(Content.redacted(texts.code(LENGTH)))
                .output(Content.redacted(texts.prose(LENGTH)))
                .success(true)
                .reward(0.5)
                .cumulativeReward(10.25)
                .build();
    }

    /** Both have to write the same. */
    @Setup
    public void compare() throws IOException {
        JournalJson.append(event, lines);
        String own = lines.toString(StandardCharsets.UTF_8);
        lines.clear();
        jackson.append(event);
        if (!lines.toString(StandardCharsets.UTF_8).equals(own)) {
            throw new IllegalStateException(own + " differs from " + lines.toString(StandardCharsets.UTF_8));
        }
        lines.clear();
    }

    @Benchmark
    @OperationsPerInvocation(LINES)
    public int journal() {
        long before = CallerBytes.allocated();
        lines.clear();
        for (int i = 0; i < LINES; i++) {
            JournalJson.append(event, lines);
        }
        CallerBytes.add(before, LINES);
        return lines.size();
    }

    @Benchmark
    @OperationsPerInvocation(LINES)
    public int jackson() throws IOException {
        long before = CallerBytes.allocated();
        lines.clear();
        for (int i = 0; i < LINES; i++) {
            jackson.append(event);
        }
        CallerBytes.add(before, LINES);
        return lines.size();
    }
}

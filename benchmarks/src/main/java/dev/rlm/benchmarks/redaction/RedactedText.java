package dev.rlm.benchmarks.redaction;

import dev.rlm.benchmarks.figure.CallerBytes;
import dev.rlm.sinks.redaction.Redaction;
import dev.rlm.sinks.redaction.RedactionOptions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a text costs in which no secret is found, for each 1,024 characters of it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 40, timeUnit = TimeUnit.MILLISECONDS)
public class RedactedText {
    private static final int KILOBYTES = Kind.LENGTH >> 10;

    @Param("PROSE")
    @SuppressWarnings("NullAway.Init") // set by JMH
    String kind;

    private final Redaction redaction = new Redaction(RedactionOptions.of(true, Set.of(), List.of()));
    private String text = "";

    @Setup
    public void write() {
        text = Kind.valueOf(kind).text(1);
        if (!redaction.text(text).equals(text)) {
            throw new IllegalStateException("a secret in " + kind);
        }
    }

    @Benchmark
    @OperationsPerInvocation(KILOBYTES)
    public String kilobyte() {
        long before = CallerBytes.allocated();
        String redacted = redaction.text(text);
        CallerBytes.add(before, KILOBYTES);
        return redacted;
    }
}

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
import org.openjdk.jmh.infra.Blackhole;

/** The cost of texts of one {@link Kind}, all of them in turn, for each 1,024 characters. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 10, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 60, timeUnit = TimeUnit.MILLISECONDS)
public class RedactedText {
    /** Kilobytes of all texts. */
    static final int KILOBYTES = 950;

    @Param("ENGLISH")
    @SuppressWarnings("NullAway.Init") // set by JMH
    String kind;

    private final Redaction redaction = new Redaction(RedactionOptions.of(true, Set.of(), List.of()));
    private List<String> texts = List.of();

    @Setup
    public void write() {
        Kind of = Kind.valueOf(kind);
        texts = of.texts(1);
        for (String text : texts) {
            if (of.isOrdinary() && !redaction.text(text).equals(text)) {
                throw new IllegalStateException("a secret in " + kind);
            }
        }
    }

    @Benchmark
    @OperationsPerInvocation(KILOBYTES)
    public void kilobyte(Blackhole hole) {
        long before = CallerBytes.allocated();
        texts.forEach(text -> hole.consume(redaction.text(text)));
        CallerBytes.add(before, KILOBYTES);
    }
}

package dev.rlm.benchmarks.caller;

import dev.rlm.benchmarks.figure.CallerBytes;
import dev.rlm.benchmarks.redaction.VariedTexts;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Cost of a step if nothing records it: with no sink, and with OpenTelemetry's no-op API. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 150, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 30, timeUnit = TimeUnit.MILLISECONDS)
public class NothingEnabled {
    private static final int STEPS = 1_000;
    private static final AttributeKey<String> TEXT = AttributeKey.stringKey("text");

    @SuppressWarnings("CanBeFinal") // JMH keeps the compiler from knowing it
    private volatile boolean enabled;

    private final Run run =
            Sinks.builder().build().startRun(RunSpec.builder("benchmark").build());
    private final Tracer tracer = OpenTelemetry.noop().getTracer("benchmark");
    private final LongCounter steps =
            OpenTelemetry.noop().getMeter("benchmark").counterBuilder("steps").build();
    private final DoubleHistogram rewards = OpenTelemetry.noop()
            .getMeter("benchmark")
            .histogramBuilder("rewards")
            .build();
    private final Attributes labels = Attributes.of(TEXT, "benchmark");

    @Benchmark
    @OperationsPerInvocation(STEPS)
    public void rlm(Blackhole blackhole) {
        long before = CallerBytes.allocated();
        for (int i = 0; i < STEPS; i++) {
            try (Step step = run.startStep()) {
                step.action("run_python", VariedTexts.code(i));
                step.reward(0.5);
                step.complete(VariedTexts.output(i));
                blackhole.consume(step);
            }
        }
        CallerBytes.add(before, STEPS);
    }

    /** Measures the lower bound of any check: a field is read before each step. */
    @Benchmark
    @OperationsPerInvocation(STEPS)
    public void ifEnabled(Blackhole blackhole) {
        for (int i = 0; i < STEPS; i++) {
            if (enabled) {
                blackhole.consume(VariedTexts.code(i));
            }
        }
    }

    @Benchmark
    @OperationsPerInvocation(STEPS)
    public void openTelemetry(Blackhole blackhole) {
        long before = CallerBytes.allocated();
        for (int i = 0; i < STEPS; i++) {
            Span span = tracer.spanBuilder("rlm.step").startSpan();
            span.setAttribute("rlm.step.number", i);
            span.setAttribute("rlm.action.type", "run_python");
            span.setAttribute("rlm.step.reward", 0.5);
            span.addEvent("code", Attributes.of(TEXT, VariedTexts.code(i)));
            span.addEvent("output", Attributes.of(TEXT, VariedTexts.output(i)));
            span.setStatus(StatusCode.OK);
            span.end();
            steps.add(1, labels);
            rewards.record(0.5, labels);
            blackhole.consume(span);
        }
        CallerBytes.add(before, STEPS);
    }
}

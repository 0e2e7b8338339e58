package dev.rlm.sinks.core;

import dev.rlm.sinks.Scope;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.TraceContext;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;

/**
 * Ids that join the lines that a thread logs to the run that it works for, in SLF4J's mapped diagnostic context:
 * {@code run_id}, {@code rollout_id}, {@code step}, {@code trace_id} and {@code span_id}. The last two are written as
 * OpenTelemetry's own log appenders write them.
 */
final class LogContext implements Scope {
    private static final String[] KEYS = {"run_id", "rollout_id", "step", "trace_id", "span_id"};

    private final MDCAdapter log;
    private final Scope ofSinks;
    private final @Nullable String[] outer = new String[KEYS.length];
    private final boolean[] changed = new boolean[KEYS.length]; // all that is to be given back

    private LogContext(MDCAdapter log, Scope ofSinks, @Nullable String[] values) {
        this.log = log;
        this.ofSinks = ofSinks;
        for (int i = 0; i < KEYS.length; i++) {
            outer[i] = log.get(KEYS[i]);
            changed[i] = !Objects.equals(outer[i], values[i]);
            if (changed[i]) {
                set(KEYS[i], values[i]);
            }
        }
    }

    /**
     * Tells the log of this thread where it is, until the scope is closed together with that of the sinks; nothing where the
     * program's logging takes no such context, or fails at it.
     */
    static Scope open(Place place, Scope ofSinks) {
        try {
            MDCAdapter log = MDC.getMDCAdapter();
            return log == null || log instanceof NOPMDCAdapter
                    ? ofSinks
                    : new LogContext(log, ofSinks, values(place, ofSinks));
        } catch (RuntimeException e) {
            return ofSinks;
        }
    }

    /** Returns the values of the keys, in order. If no sink traces, the trace is that of the run's own parent. */
    private static @Nullable String[] values(Place place, Scope ofSinks) {
        RunInfo run = place.run();
        TraceContext span = ofSinks.traceContext().orElse(run.parent());
        return new @Nullable String[] {
            run.runId(),
            run.correlation().rollout(),
            place.step() == null ? null : Integer.toString(place.step().step()),
            span == null ? null : span.traceId(),
            span == null ? null : span.spanId()
        };
    }

    private void set(String key, @Nullable String value) {
        if (value == null) {
            log.remove(key);
        } else {
            log.put(key, value);
        }
    }

    @Override
    public Optional<TraceContext> traceContext() {
        return ofSinks.traceContext();
    }

    @Override
    public void close() {
        giveBack();
        ofSinks.close();
    }

    private void giveBack() {
        try {
            for (int i = 0; i < KEYS.length; i++) {
                if (changed[i]) {
                    set(KEYS[i], outer[i]);
                }
            }
        } catch (RuntimeException e) {
            // the program's logging fails, and says so itself
        }
    }
}

package dev.rlm.sinks.core;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.core.content.ErrorText;
import dev.rlm.sinks.core.lane.Lanes;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.StandaloneSpanRecordedBuilder;
import dev.rlm.sinks.event.TraceContext;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Spans of the user's that lie in no run. Their ids are made here, by chance, so that others can name them before they are recorded.
 * Safe for use by several threads.
 */
final class StandaloneSpans {
    private static final String INVALID = "invalid";
    private static final int WORD = 16; // hexadecimal digits of 64 bits

    private final RunContext context;
    private final InstantSource clock;
    private final Lanes lanes;
    private final Set<Live> open = ConcurrentHashMap.newKeySet();

    StandaloneSpans(RunContext context, InstantSource clock, Lanes lanes) {
        this.context = context;
        this.clock = clock;
        this.lanes = lanes;
    }

    /** Starts a span below the parent, without one in a trace of its own; a no-op if the hub is closed or has no sinks. */
    Span start(@Nullable String name, TraceContext parent) {
        return start(
                name, Duration.ZERO, parent.map(context::redact), parent.traceId() == null ? null : parent.isSampled());
    }

    private Span start(@Nullable String name, Duration ago, TraceContext parent, @Nullable Boolean sampled) {
        if (context.isClosed()) {
            lanes.refuseClosed();
        }
        if (context.isClosed() || lanes.isEmpty()) {
            return Span.NOOP;
        }
        String clean = context.redact(name);
        Live span = new Live(clean.isBlank() ? "span" : clean, ago, parent, sampled);
        open.add(span);
        if (context.isClosed()) {
            span.close();
        }
        return span;
    }

    /** Ends all that are open as failed, the inner ones first. */
    void endAll(String reason) {
        List<Live> left = open.stream()
                .sorted((one, other) -> Long.compare(other.startNanos, one.startNanos))
                .toList();
        left.forEach(span -> span.end(reason));
    }

    private static String id() {
        long bits;
        do {
            bits = ThreadLocalRandom.current().nextLong();
        } while (bits == 0);
        String digits = Long.toHexString(bits);
        return "0".repeat(WORD - digits.length()) + digits;
    }

    /** A span that sinks hear of at its end. What its event will tell is guarded by itself. */
    private final class Live implements Span {
        private final String name;
        private final TraceContext parent;
        private final @Nullable Boolean sampled; // elsewhere, where its trace began; null where that was here
        private final String traceId;
        private final String spanId = id();
        private final long startNanos;
        private final Map<String, @Nullable Object> attributes = new LinkedHashMap<>();
        private @Nullable Content error;
        private boolean ended;

        Live(String name, Duration ago, TraceContext parent, @Nullable Boolean sampled) {
            this.name = name;
            this.parent = parent;
            this.sampled = sampled;
            this.traceId = Objects.requireNonNullElseGet(parent.traceId(), () -> id() + id());
            this.startNanos = context.nanoTime() - ago.toNanos();
        }

        @Override
        public boolean isRecording() {
            return true;
        }

        @Override
        public Span span(String inner, Duration ago) {
            return start(inner, ago, here(), sampled);
        }

        private TraceContext here() {
            String flags = Boolean.FALSE.equals(sampled) ? "-00" : "-01";
            return new TraceContext("00-" + traceId + "-" + spanId + flags, parent.tracestate(), parent.baggage());
        }

        @Override
        public Span attribute(String key, Object value) {
            String called = context.redact(String.valueOf(key));
            Object clean = context.redact(String.valueOf(key), value);
            change(() -> attributes.put(called, clean));
            return this;
        }

        @Override
        public void fail(String message) {
            Content content = context.content(message);
            change(() -> error = content);
        }

        @Override
        public void fail(Throwable failure) {
            fail(ErrorText.of(failure));
        }

        private void change(Runnable change) {
            boolean late;
            synchronized (this) {
                late = ended;
                if (!late) {
                    change.run();
                }
            }
            if (late) {
                lanes.refuse(context.isClosed() ? "closed" : "after_end");
            }
        }

        @Override
        public Optional<TraceContext> traceContext() {
            return Optional.of(here());
        }

        /** For what asks which activity is current: sinks have no notion of it. */
        @Override
        public Scope makeCurrent() {
            return context.isClosed() ? Scope.NONE : Scope.open(this, Scope.NONE);
        }

        // ---- what belongs to runs

        @Override
        public ToolCall startToolCall(String tool) {
            lanes.refuse(INVALID);
            return ToolCall.NOOP;
        }

        @Override
        public ModelCall startModelCall(String provider, String model) {
            lanes.refuse(INVALID);
            return ModelCall.NOOP;
        }

        @Override
        public void artifact(Path file) {
            lanes.refuse(INVALID);
        }

        @Override
        public void artifact(String file, String mediaType, byte[] bytes) {
            lanes.refuse(INVALID);
        }

        // ---- its end

        @Override
        public void close() {
            end(null);
        }

        /** Ends it, as failed where there is a reason and it has not failed already. */
        private void end(@Nullable String reason) {
            StandaloneSpanRecorded event;
            synchronized (this) {
                if (ended) {
                    return;
                }
                ended = true;
                if (error == null && reason != null) {
                    error = context.content(reason);
                }
                event = event();
            }
            open.remove(this);
            if (event == null) {
                lanes.refuse(INVALID);
            } else {
                lanes.publish(event);
            }
        }

        private @Nullable StandaloneSpanRecorded event() {
            try {
                return StandaloneSpanRecordedBuilder.builder()
                        .time(clock.instant())
                        .name(name)
                        .durationNanos(Math.max(0, context.nanoTime() - startNanos))
                        .traceId(traceId)
                        .spanId(spanId)
                        .parentSpanId(parent.spanId())
                        .parentSampled(sampled)
                        .attributes(attributes)
                        .error(error)
                        .build();
            } catch (RuntimeException e) {
                return null;
            }
        }
    }
}

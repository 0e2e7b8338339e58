package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.TraceContext;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Spans that lie in no run. */
class StandaloneSpanTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Recorder sink = new Recorder();

    @Test
    void spans_areRecordedAtTheirEndWithWhatWasSaidOfThem() {
        try (Sinks sinks = Sinks.builder().add("a", sink).build()) {
            try (Span job = sinks.span("job")) {
                job.attribute("size", 3).attribute("size", 4);
                try (Span wait = job.span("wait")) {
                    wait.fail(new IllegalStateException("no place"));
                }
                String parent = job.traceContext().orElseThrow().traceparent();
                assertThat(sinks.flush(TIMEOUT).isComplete()).isTrue();
                StandaloneSpanRecorded wait = sink.only(StandaloneSpanRecorded.class);
                assertThat(wait.name()).isEqualTo("wait");
                assertThat(wait.error()).hasToString("java.lang.IllegalStateException: no place");
                assertThat(parent).isEqualTo("00-" + wait.traceId() + "-" + wait.parentSpanId() + "-01");
            }
        }

        assertThat(sink.events(StandaloneSpanRecorded.class))
                .extracting(StandaloneSpanRecorded::name)
                .containsExactly("wait", "job");
        StandaloneSpanRecorded job = sink.events(StandaloneSpanRecorded.class).get(1);
        assertThat(job.attributes()).isEqualTo(Map.of("size", 4));
        assertThat(job.error()).isNull();
        assertThat(job.parentSpanId()).isNull();
        assertThat(job.startedAt()).isBeforeOrEqualTo(job.time());
    }

    @Test
    void spanBelowWorkElsewhere_joinsItsTraceAndHandsItsContextOn() {
        String remote = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";
        Map<String, String> headers = Map.of("traceparent", "00-" + remote + "-00", "baggage", "tenant=a");
        try (Sinks sinks = Sinks.builder().add("a", sink).build()) {
            try (Span request = sinks.span("request", TraceContext.from(headers));
                    Span inner = request.span("inner")) {
                TraceContext handed = inner.traceContext().orElseThrow();
                assertThat(handed.traceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
                assertThat(handed.isSampled()).isFalse();
                assertThat(handed.baggage()).isEqualTo("tenant=a");
            }
            sinks.span("alone", TraceContext.from(Map.of("traceparent", "nonsense")))
                    .close();
        }

        List<StandaloneSpanRecorded> spans = sink.events(StandaloneSpanRecorded.class);
        assertThat(spans)
                .extracting(StandaloneSpanRecorded::name, StandaloneSpanRecorded::parentSampled)
                .containsExactly(tuple("inner", false), tuple("request", false), tuple("alone", null));
        StandaloneSpanRecorded request = spans.get(1);
        assertThat(request.traceId() + "-" + request.parentSpanId()).isEqualTo(remote);
        assertThat(spans.get(0).parentSpanId()).isEqualTo(request.spanId());
        assertThat(spans.get(0).traceId()).isEqualTo(request.traceId());
        assertThat(spans.get(2).parentSpanId()).isNull();
        assertThat(spans.get(2).traceId()).isNotEqualTo(request.traceId());
    }

    @Test
    void spanThatBeganEarlier_hasItsWholeTime() {
        AtomicLong nanos = new AtomicLong(Duration.ofMinutes(1).toNanos());
        InstantSource clock = InstantSource.fixed(Instant.EPOCH);
        try (Sinks sinks =
                        Sinks.builder().clocks(clock, nanos::get).add("a", sink).build();
                Span job = sinks.span("job")) {
            nanos.addAndGet(Duration.ofSeconds(3).toNanos());
            job.span("wait", Duration.ofSeconds(2)).close();
        }

        assertThat(sink.events(StandaloneSpanRecorded.class))
                .extracting(StandaloneSpanRecorded::name, StandaloneSpanRecorded::durationNanos)
                .containsExactly(tuple("wait", 2_000_000_000L), tuple("job", 3_000_000_000L));
    }

    @Test
    void sinkWithNoPlaceForThem_isOfferedNone_andCountsNone() {
        Recorder other = new Recorder() {
            @Override
            public boolean accepts(EventType type) {
                return type != EventType.STANDALONE_SPAN_RECORDED;
            }
        };
        try (Sinks sinks = Sinks.builder().add("a", sink).add("other", other).build()) {
            sinks.span("job").close();
            sinks.metrics("actor", Map.of("loss", 1));
            assertThat(sinks.flush(TIMEOUT).isComplete()).isTrue();
            assertThat(sinks.statuses())
                    .extracting(SinkStatus::name, status -> status.ledger().offered())
                    .containsExactlyInAnyOrder(tuple("a", 2L), tuple("other", 1L));
        }
        assertThat(other.events()).hasOnlyElementsOfType(MetricsReported.class);
    }

    @Test
    void openSpans_endWithTheHubAsFailed() {
        try (Sinks sinks = Sinks.builder().add("a", sink).build()) {
            sinks.span("outer").span("inner");
        }

        assertThat(sink.events(StandaloneSpanRecorded.class))
                .extracting(StandaloneSpanRecorded::name)
                .containsExactly("inner", "outer");
        assertThat(sink.events(StandaloneSpanRecorded.class))
                .extracting(span -> String.valueOf(span.error()))
                .containsOnly("the sinks were closed");
    }

    @Test
    void secrets_areInNeitherNameNorAttributesNorError() {
        try (Sinks sinks =
                        Sinks.builder().add("a", sink).secret("a-secret-value").build();
                Span span = sinks.span("a-secret-value")) {
            span.attribute("a-secret-value", "a-secret-value").fail("a-secret-value");
        }

        assertThat(sink.only(StandaloneSpanRecorded.class).toString()).doesNotContain("a-secret-value");
    }

    @Test
    void lateCallsAndCallsOfModelsAndTools_areCounted() {
        try (Sinks sinks = Sinks.builder().add("a", sink).build()) {
            Span span = sinks.span("s");
            try (ToolCall tool = span.startToolCall("t");
                    ModelCall model = span.startModelCall("p", "m")) {
                assertThat(List.of(tool, model)).containsExactly(ToolCall.NOOP, ModelCall.NOOP);
            }
            span.close();
            span.close();
            span.attribute("late", 1);

            assertThat(sinks.flush(TIMEOUT).isComplete()).isTrue();
            assertThat(sinks.statuses().get(0).ledger().dropped()).isEqualTo(Map.of("invalid", 2L, "after_end", 1L));
        }

        assertThat(sink.only(StandaloneSpanRecorded.class).name()).isEqualTo("s");
    }

    @Test
    void currentSpan_isTheActivityOfItsThread() {
        try (Sinks sinks = Sinks.builder().add("a", sink).build();
                Span span = sinks.span("s")) {
            try (Scope ignored = span.makeCurrent()) {
                assertThat(Activity.current()).isSameAs(span);
            }
            assertThat(Activity.current().isRecording()).isFalse();
        }
    }

    @Test
    void hubWithoutSinks_andClosedHub_recordNothing() {
        Sinks sinks = Sinks.builder().build();
        assertThat(sinks.span("s")).isSameAs(Span.NOOP);
        sinks.close();
        assertThat(sinks.span("s")).isSameAs(Span.NOOP);
    }
}

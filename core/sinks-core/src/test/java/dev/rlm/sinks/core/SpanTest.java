package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.ToolCalled;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SpanTest {
    private static final String SECRET = "a-secret-value";

    private final AtomicLong nanos = new AtomicLong();
    private final Recorder sink = new Recorder();
    private final Sinks sinks = Sinks.builder()
            .add("recorder", sink)
            .secret(SECRET)
            .clocks(() -> Instant.EPOCH, nanos::get)
            .build();
    private final Run run = sinks.startRun(RunSpec.builder("env").build());

    @AfterEach
    void close() {
        sinks.close();
    }

    private List<SpanRecorded> spans() {
        sinks.close();
        return sink.events(SpanRecorded.class);
    }

    @Test
    void span_lastsFromItsStartToItsEnd() {
        nanos.set(10);
        try (Span phase = run.span("generate")) {
            nanos.set(25);
            phase.attribute("batch", 64).attribute("policy", "v3").attribute("policy", "v4");
        }

        SpanRecorded span = spans().get(0);
        assertThat(span.name()).isEqualTo("generate");
        assertThat(span.seq()).isEqualTo(2); // that of its start
        assertThat(span.startNanos()).isEqualTo(10);
        assertThat(span.nanos()).isEqualTo(25);
        assertThat(span.step()).isZero();
        assertThat(span.parentSeq()).isZero();
        assertThat(span.error()).isNull();
        assertThat(span.attributes()).isEqualTo(Map.of("batch", 64, "policy", "v4"));
    }

    @Test
    void spansAndCalls_withinASpan_nameIt() {
        try (Step step = run.startStep();
                Span outer = step.span("search");
                Span inner = outer.span("rank")) {
            inner.startToolCall("grep").close();
            outer.startModelCall("openai", "m").close();
        }

        assertThat(spans()).extracting(SpanRecorded::name).containsExactly("rank", "search");
        assertThat(spans()).allMatch(span -> span.step() == 1);
        SpanRecorded rank = spans().get(0);
        SpanRecorded search = spans().get(1);
        assertThat(search.parentSeq()).isZero();
        assertThat(rank.parentSeq()).isEqualTo(search.seq());
        assertThat(sink.only(ToolCalled.class).parentSeq()).isEqualTo(rank.seq());
        assertThat(sink.only(ModelCalled.class).parentSeq()).isEqualTo(search.seq());
    }

    @Test
    void failure_isTold() {
        try (Span span = run.span("train")) {
            span.fail(new IllegalStateException("out of memory"));
        }

        assertThat(String.valueOf(spans().get(0).error())).contains("out of memory");
    }

    @Test
    void span_outlastsItsStep_andEndsAsFailedWithItsRun() {
        Step step = run.startStep();
        Span late = step.span("late");
        run.span("left");
        step.complete("");
        late.close();
        run.complete("");

        assertThat(spans()).extracting(SpanRecorded::name).containsExactly("late", "left");
        assertThat(spans().get(0).error()).isNull();
        assertThat(Objects.requireNonNull(spans().get(1).error()).text()).isEqualTo("the run ended before it");
        assertThat(sink.events()).last().isInstanceOf(RunEnded.class);
    }

    @Test
    void whatIsSaidAfterTheEnd_isCounted() {
        Span span = run.span("done");
        span.close();
        span.close();
        span.attribute("late", true);
        span.fail("late");
        run.complete("");
        run.span("after").close();

        assertThat(spans()).hasSize(1);
        assertThat(sinks.statuses().get(0).ledger().dropped()).isEqualTo(Map.of("after_end", 3L));
    }

    @Test
    void secrets_areRedacted() {
        try (Span span = run.span("with " + SECRET)) {
            span.attribute("key " + SECRET, "value " + SECRET);
            span.fail("failed with " + SECRET);
        }

        assertThat(spans().toString()).doesNotContain(SECRET).contains("with [REDACTED:");
    }

    @Test
    @SuppressWarnings("NullAway") // what callers without a null checker do
    void nonsense_neverThrows() {
        try (Span span = run.span(null)) {
            span.attribute(null, null).attribute("self", span);
            span.fail((String) null);
            span.fail((Throwable) null);
            span.span(" ").close();
        }

        assertThat(spans()).extracting(SpanRecorded::name).containsExactly("span", "span");
    }

    @Test
    void withoutSinks_nothingHappens() {
        try (Sinks none = Sinks.builder().build();
                Run unheard = none.startRun(RunSpec.builder("env").build());
                Span span = unheard.span("a").span("b").attribute("c", 1);
                Scope scope = span.makeCurrent()) {
            assertThat(scope).isSameAs(Scope.NONE);
            assertThat(span.traceContext()).isEmpty();
            assertThat(unheard.startStep().span("d")).isSameAs(span);
        }
    }
}

package dev.rlm.sinks.traced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.InMemorySink;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Objects whose calls are spans. */
@Timeout(60)
class TracedSpansTest {
    private final InMemorySink sink = new InMemorySink();
    private final Sinks sinks = Sinks.builder().add("recorder", sink).build();
    private final Run run = sinks.startRun(RunSpec.builder("env").build());
    private final Function<String, String> lookup = Traced.tool("lookup", key -> "found " + key);
    private final CompletableFuture<String> later = new CompletableFuture<>();

    private final Index index = Traced.spans(Index.class, new Index() {
        @Override
        public String find(String query) {
            return lookup.apply(query);
        }

        @Override
        public void refresh() throws IOException {
            throw new IOException("torn");
        }

        @Override
        public CompletableFuture<String> findLater(String query) {
            return later;
        }
    });

    private final Memory memory = Traced.spans(Memory.class, index::find);

    @AfterEach
    void close() {
        sinks.close();
    }

    @Test
    void calls_areSpansThatHoldWhatTheyCall() {
        try (Scope scope = run.makeCurrent()) {
            assertThat(memory.recall("q")).isEqualTo("found q");
        }
        assertThat(index.find("nowhere")).isEqualTo("found nowhere");
        sinks.close();

        SpanRecorded recall = span("Memory.recall");
        SpanRecorded find = span("Index.find");
        assertThat(sink.events(SpanRecorded.class)).hasSize(2);
        assertThat(recall.parentSeq()).isZero();
        assertThat(find.parentSeq()).isEqualTo(recall.seq());
        assertThat(sink.only(ToolCalled.class).parentSeq()).isEqualTo(find.seq());
        assertThat(find.error()).isNull();
        assertThat(find.attributes()).containsOnlyKeys("code.function.name");
        assertThat(find.attributes().get("code.function.name")).asString().endsWith("TracedSpansTest$Index.find");
    }

    @Test
    void callThatThrows_isAFailedSpan() {
        IOException torn = new IOException("torn");
        Index failing = Traced.spans(Index.class, new Index() {
            @Override
            public void refresh() throws IOException {
                throw torn;
            }
        });
        try (Scope scope = run.makeCurrent()) {
            assertThatThrownBy(failing::refresh).isSameAs(torn);
        }
        sinks.close();

        assertThat(span("Index.refresh").error()).hasToString("java.io.IOException: torn");
    }

    @Test
    void futures_endTheirSpansWhenTheyComplete() {
        CompletableFuture<String> result;
        try (Scope scope = run.makeCurrent()) {
            result = index.findLater("q");
        }
        run.startToolCall("meanwhile").close();
        later.completeExceptionally(new IllegalStateException("gone"));
        assertThat(result).isCompletedExceptionally();
        sinks.close();

        assertThat(sink.events())
                .extracting(event -> event.getClass().getSimpleName())
                .containsSubsequence("ToolCalled", "SpanRecorded");
        assertThat(span("Index.findLater").error()).hasToString("java.lang.IllegalStateException: gone");
    }

    /** A judge's retriever, say, and what goes on outside of runs. */
    @Test
    void calls_areSpansOfWhateverIsCurrent() {
        try (Evaluation judging = run.startEvaluation("judge");
                Scope scope = judging.makeCurrent()) {
            memory.recall("q");
            judging.reward(1);
        }
        try (Span job = sinks.span("job");
                Scope scope = job.makeCurrent()) {
            Traced.spans(Memory.class, query -> "").recall("q");
        }
        sinks.close();

        assertThat(span("Memory.recall").parentSeq()).isPositive();
        assertThat(sink.events(StandaloneSpanRecorded.class))
                .extracting(StandaloneSpanRecorded::name)
                .containsExactly("Memory.recall", "job");
    }

    private SpanRecorded span(String name) {
        return sink.events(SpanRecorded.class).stream()
                .filter(span -> span.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private interface Index {
        default String find(String query) {
            return query;
        }

        void refresh() throws IOException;

        default CompletableFuture<String> findLater(String query) {
            return CompletableFuture.completedFuture(query);
        }
    }

    private interface Memory {
        String recall(String query);
    }
}

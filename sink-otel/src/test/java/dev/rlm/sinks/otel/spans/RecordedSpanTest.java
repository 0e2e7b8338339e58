package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.otel.FakeClock;
import dev.rlm.sinks.otel.Published;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.testkit.Events;
import io.opentelemetry.api.trace.StatusCode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Spans that the user named, what all spans have in common, and runs whose end others wrote. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class RecordedSpanTest {
    private final Rig rig;
    private final Published run = new Published("r");

    RecordedSpanTest(String protocol) throws IOException {
        rig = Rig.by(protocol);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    private void publish(Event... events) {
        Stream.of(events).forEach(rig.sinks()::publish);
    }

    @Test
    void spans_nested_areChildrenOfOneAnother() {
        Map<String, Object> attributes = Map.of(
                "text",
                "a",
                "whole",
                3,
                "long",
                4L,
                "fraction",
                0.5,
                "on",
                true,
                "list",
                List.of(1, 2),
                "bad",
                0.0 / 0);
        publish(
                run.started(),
                run.span(3, 2, "inner", 5, Map.of(), "it broke"),
                run.span(5, 1, "outer", 0, attributes, null),
                run.ended(9));

        OtlpSpan outer = rig.span("outer");
        OtlpSpan inner = rig.span("inner");
        assertThat(outer.parentId()).isEqualTo(rig.span("rlm.run").spanId());
        assertThat(inner.parentId()).isEqualTo(outer.spanId());
        assertThat(outer.startNanos()).isEqualTo(FakeClock.at(1));
        assertThat(outer.endNanos()).isEqualTo(FakeClock.at(5));
        assertThat(outer.status()).isEqualTo(StatusCode.UNSET);
        assertThat(outer.attributes())
                .isEqualTo(Map.ofEntries(
                        Map.entry("rlm.run_id", "r"),
                        Map.entry("rlm.environment", "calc"),
                        Map.entry("rlm.model", "gpt"),
                        Map.entry("text", "a"),
                        Map.entry("whole", 3L),
                        Map.entry("long", 4L),
                        Map.entry("fraction", 0.5),
                        Map.entry("on", true),
                        Map.entry("list", "[1, 2]"),
                        Map.entry("rlm.left_out", List.of("bad=NaN"))));
        assertThat(inner.status()).isEqualTo(StatusCode.ERROR);
        assertThat(inner.statusMessage()).isEqualTo("it broke");
        assertThat(inner.attributes()).containsEntry("error.type", "failed");
    }

    @Test
    void spans_ofEveryKind_sayWhoseTheyAre() {
        Events.full("r").stream().filter(RunEvent.class::isInstance).forEach(rig.sinks()::publish);
        rig.sinks().publish(new Published("r").reward(50, 0.5));

        List<OtlpSpan> spans = rig.spans();
        assertThat(spans)
                .extracting(OtlpSpan::name)
                .contains("rlm.run.started", "rlm.step", "rlm.reward", "plan", "rlm.run")
                .anyMatch(name -> name.startsWith("chat "))
                .anyMatch(name -> name.startsWith("retrieval "));
        assertThat(spans)
                .allSatisfy(span -> assertThat(span.attributes())
                        .containsEntry("rlm.run_id", "r")
                        .containsKeys("rlm.environment", "rlm.model"));
    }

    @Test
    void steps_openWhenTheirRunWasAbandoned_endBeforeItForTheSameReason() {
        publish(run.started(), run.step(2, 1), run.step(3, 2), run.ended(9, Outcome.ABANDONED));

        List<OtlpSpan> spans = rig.spans();
        assertThat(spans)
                .extracting(OtlpSpan::name)
                .containsExactly("rlm.run.started", "rlm.step", "rlm.step", "rlm.run");
        assertThat(spans.subList(1, 4)).allSatisfy(span -> {
            assertThat(span.endNanos()).isEqualTo(FakeClock.at(9));
            assertThat(span.status()).isEqualTo(StatusCode.ERROR);
            assertThat(span.attributes()).containsEntry("error.type", "abandoned");
        });
        assertThat(spans.get(1).attributes()).containsEntry("rlm.step", 2L);
    }

    @Test
    void steps_openWhenTheirRunFailed_areAborted() {
        publish(run.started(), run.step(2, 1), run.ended(9, Outcome.FAILED));

        assertThat(rig.span("rlm.step").attributes()).containsEntry("error.type", "aborted");
        assertThat(rig.span("rlm.run").attributes()).containsEntry("error.type", "failed");
    }
}

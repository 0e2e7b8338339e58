package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.otel.FakeClock;
import dev.rlm.sinks.otel.Published;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import io.opentelemetry.api.trace.StatusCode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids, parents and links, and what becomes of events that come alone or too late. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class TraceTest {
    private static final String REMOTE_TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String REMOTE_SPAN = "b7ad6b7169203331";

    private final String protocol;
    private final Rig rig;
    private final Published published = new Published("r");
    private final StepStarted started = published.step(2, 1);
    private final RewardGiven reward = published.reward(3, 1, 0.5, 3);
    private final StepEnded ended = published.stepEnded(4, started);
    private final RunEnded end = published.ended(5);

    TraceTest(String protocol) throws IOException {
        this.protocol = protocol;
        rig = Rig.by(protocol);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void ids_followFromTheRunId() throws IOException {
        try (Rig other = Rig.by(protocol)) {
            assertThat(rig.sink().traceId("r")).hasValue("454349e422f05297191ead13e21d3db5"); // its SHA-256
            record(rig);
            record(other);

            assertThat(ids(other)).isEqualTo(ids(rig)).hasSize(5);
            assertThat(rig.receiver().spans())
                    .extracting(OtlpSpan::traceId)
                    .containsOnly("454349e422f05297191ead13e21d3db5");
            assertThat(rig.sink().traceId("r")).hasValue("454349e422f05297191ead13e21d3db5");
        }
    }

    private static void record(Rig rig) {
        try (Run run = rig.startRun("r")) {
            run.startStep().complete("");
            run.reward(1);
            run.startStep().complete("");
            run.startStep().complete("");
            run.complete("");
        }
    }

    private static Set<String> ids(Rig rig) {
        return rig.spans().stream().map(OtlpSpan::spanId).collect(Collectors.toSet());
    }

    @Test
    void ids_ofManyRuns_differ() {
        for (int i = 0; i < 500; i++) {
            Run run = rig.startRun("run-" + i);
            run.startStep().complete("");
            run.complete("");
        }

        assertThat(ids(rig)).hasSize(1_500);
    }

    @Test
    void run_withRemoteParent_joinsItsTrace() {
        RunSpec spec = RunSpec.builder("calc")
                .runId("r")
                .traceparent("00-" + REMOTE_TRACE + "-" + REMOTE_SPAN + "-01")
                .correlation(Correlation.builder().parentRun("mother").build())
                .build();
        try (Run run = rig.sinks().startRun(spec)) {
            run.startStep().complete("");
            run.complete("");
        }

        OtlpSpan run = rig.span("rlm.run");
        assertThat(run.traceId()).isEqualTo(REMOTE_TRACE);
        assertThat(run.parentId()).isEqualTo(REMOTE_SPAN);
        assertThat(run.links()).isEmpty();
        assertThat(rig.span("rlm.step"))
                .returns(REMOTE_TRACE, OtlpSpan::traceId)
                .returns(run.spanId(), OtlpSpan::parentId);
        assertThat(rig.sink().traceId("r")).hasValue(REMOTE_TRACE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "00-" + REMOTE_TRACE + "-" + REMOTE_SPAN,
                "00-00000000000000000000000000000000-" + REMOTE_SPAN + "-01",
                "ff-" + REMOTE_TRACE + "-" + REMOTE_SPAN + "-01"
            })
    void run_withMalformedParent_hasATraceOfItsOwn(String traceparent) {
        rig.sinks()
                .startRun(RunSpec.builder("calc")
                        .runId("r")
                        .traceparent(traceparent)
                        .build())
                .complete("");

        assertThat(rig.span("rlm.run"))
                .returns("454349e422f05297191ead13e21d3db5", OtlpSpan::traceId)
                .returns("", OtlpSpan::parentId);
    }

    @Test
    void run_withParentRunKnownById_isLinkedToIt() {
        Run mother = rig.startRun("mother");
        rig.sinks()
                .startRun(RunSpec.builder("calc")
                        .runId("child")
                        .correlation(Correlation.builder().parentRun("mother").build())
                        .build())
                .complete("");
        mother.complete("");

        OtlpSpan child = run("child");
        assertThat(child.links())
                .containsExactly(
                        new OtlpSpan.Link(run("mother").traceId(), run("mother").spanId(), Map.of()));
        assertThat(child.parentId()).isEmpty();
    }

    private OtlpSpan run(String runId) {
        rig.flush();
        return rig.receiver().spans("rlm.run").stream()
                .filter(span -> runId.equals(span.attributes().get("rlm.run_id")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void end_ofARunWhoseStartWasLost_makesTheSpan() {
        rig.sinks().publish(end);

        assertThat(rig.span("rlm.run"))
                .returns(FakeClock.at(0), OtlpSpan::startNanos)
                .returns(FakeClock.at(5), OtlpSpan::endNanos)
                .satisfies(run -> assertThat(run.attributes())
                        .containsEntry("rlm.run_id", "r")
                        .containsEntry("rlm.completed", true));
        assertThat(rig.ledger().delivered()).isEqualTo(1);
    }

    @Test
    void end_ofAStepWhoseStartWasLost_makesTheSpan() {
        rig.sinks().publish(ended);

        assertThat(rig.span("rlm.step"))
                .returns(FakeClock.at(2), OtlpSpan::startNanos)
                .returns(FakeClock.at(4), OtlpSpan::endNanos)
                .satisfies(step -> assertThat(step.attributes())
                        .containsEntry("rlm.run_id", "r")
                        .containsEntry("rlm.environment", "calc")
                        .containsEntry("rlm.model", "gpt"));
        rig.sinks().publish(end);
        assertThat(rig.span("rlm.run").spanId()).isEqualTo(rig.span("rlm.step").parentId());
    }

    @Test
    void reward_ofAStepWhoseStartWasLost_isOnTheRun() {
        rig.sinks().publish(published.started());
        rig.sinks().publish(reward);
        rig.sinks().publish(end);

        assertThat(rig.span("rlm.run").events())
                .extracting(OtlpSpan.Event::name)
                .containsExactly("gen_ai.evaluation.result", "result");
        assertThat(rig.ledger().delivered()).isEqualTo(3);
    }

    @Test
    void run_withoutEnd_endsWithTheSinkAtItsLastEvent() {
        rig.sinks().publish(published.started());
        rig.sinks().publish(started);
        rig.sinks().publish(reward);
        rig.sinks().close();

        List<OtlpSpan> spans = rig.receiver().spans();
        assertThat(spans).extracting(OtlpSpan::name).containsExactly("rlm.run.started", "rlm.step", "rlm.run");
        assertThat(spans.subList(1, 3)).allSatisfy(span -> {
            assertThat(span.endNanos()).isEqualTo(FakeClock.at(3));
            assertThat(span.status()).isEqualTo(StatusCode.ERROR);
            assertThat(span.attributes()).containsEntry("error.type", "aborted");
        });
        assertThat(rig.ledger().delivered()).isEqualTo(3);
    }

    @Test
    void events_afterTheEnd_areLate() {
        rig.sinks().publish(end);
        rig.sinks().publish(published.started());
        rig.sinks().publish(ended);
        rig.sinks().publish(end);

        assertThat(rig.spans()).extracting(OtlpSpan::name).containsExactly("rlm.run.started", "rlm.run");
        assertThat(rig.ledger().dropped()).containsExactly(Map.entry("late", 3L));
        assertThat(rig.ledger().delivered()).isEqualTo(1);
    }

    @Test
    void step_thatEndsTwice_isSentOnce() {
        rig.sinks().publish(published.started());
        rig.sinks().publish(started);
        rig.sinks().publish(ended);
        rig.sinks().publish(ended);
        rig.sinks().publish(started);
        rig.sinks().publish(end);

        assertThat(rig.spans()).extracting(OtlpSpan::name).containsExactly("rlm.run.started", "rlm.step", "rlm.run");
        assertThat(rig.ledger().dropped()).containsExactly(Map.entry("late", 2L));
    }

    @Test
    void runMarkerAndStep_ofNoLength_lastAMicrosecond() {
        Run run = rig.startRun("r");
        Step step = run.startStep();
        step.complete("");
        run.complete("");

        assertThat(rig.spans())
                .hasSize(3)
                .allSatisfy(
                        span -> assertThat(span.endNanos() - span.startNanos()).isEqualTo(1_000));
    }

    @Test
    void resource_namesTheServiceAndNotTheProcess() {
        rig.startRun("r").complete("");

        assertThat(rig.span("rlm.run").resource())
                .containsEntry("service.name", "rlm")
                .doesNotContainKey("service.instance.id");
        assertThat(rig.receiver().numbers("rlm.runs").get(0).metric().resource())
                .containsEntry("service.name", "rlm")
                .containsKey("service.instance.id");
    }
}

package dev.rlm.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.JsonValues;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.SampleEvents;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoundTripTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plain",
                "\u0000\u0001\t\r\n\u001B[31m\u007F\u0085",
                "\u2028 and \u2029, \uFFFE\uFFFF",
                "😀 e\u0301 \"quoted\" \\ / </script>",
                "{\"type\":\"run_ended\"}\n{\"type\":"
            })
    void everyKind_withAnyText_comesBackEqual(String text) {
        List<RunEvent> events = SampleEvents.rich("run", text);
        record(events);
        assertThat(Journal.open(directory).events("run")).isEqualTo(events);
    }

    @Test
    void everyKind_withNoMoreThanItNeeds_comesBackEqual() {
        List<RunEvent> events = SampleEvents.bare("run");
        record(events);
        assertThat(Journal.open(directory).events("run")).isEqualTo(events);
    }

    @Test
    void loneSurrogates_comeBackAsReplacementCharacters() {
        record(SampleEvents.rich("run", "a\uD800b\uDC00\uDC00😀\uDBFF"));
        assertThat(Journal.open(directory).events("run"))
                .isEqualTo(SampleEvents.rich("run", "a\uFFFDb\uFFFD\uFFFD😀\uFFFD"));
    }

    @Test
    void longText_comesBackEqual() {
        List<RunEvent> events = SampleEvents.rich("run", "0123456789😀".repeat(5_000));
        record(events);
        assertThat(Journal.open(directory).events("run")).isEqualTo(events);
    }

    @Test
    void content_isKeptCut_andIsNotCutAgain() {
        Content content = Content.redacted("0123456789😀".repeat(100_000));
        RunInfo run = SampleEvents.richRun("run", "x");
        List<RunEvent> events =
                List.of(new RunStarted(run, 1), new StepStarted(run, 2, 10, 1, RunEvent.NO_STEP, content));
        record(events);
        assertThat(Journal.open(directory).events("run")).isEqualTo(events);
        assertThat(content.isCut()).isTrue();
    }

    @Test
    void hugeNames_areLimited_andDifferentOnesStayDifferent() {
        RunInfo run = SampleEvents.richRun("run", "x");
        String huge = "n".repeat(2_000_000);
        record(List.of(
                new RunStarted(run, 1),
                ArtifactSavedBuilder.builder()
                        .run(run)
                        .seq(2)
                        .nanos(20)
                        .step(RunEvent.NO_STEP)
                        .name(huge + 1)
                        .mediaType("")
                        .sha256("")
                        .path(huge + 2)
                        .build()));
        ArtifactSaved read =
                (ArtifactSaved) Journal.open(directory).events("run").get(1);
        assertThat(read.name()).isEqualTo(Content.limited(huge + 1)).hasSizeLessThan(40_000);
        assertThat(read.path()).isEqualTo(Content.limited(huge + 2)).isNotEqualTo(read.name());
    }

    @Test
    void metrics_comeBackEqual() {
        MetricsReported metrics = new MetricsReported(
                SampleEvents.START, "trainer", "global_step", Map.of("global_step", 7.0, "loss", Double.NaN));
        record(List.of(metrics));
        assertThat(Journal.open(directory).metrics()).containsExactly(metrics);
    }

    @Test
    void params_nestedTooDeep_areCut() {
        Object value = "bottom";
        for (int i = 0; i < 100; i++) {
            value = i % 2 == 0 ? List.of(value) : Map.of("in", value);
        }
        RunInfo rich = SampleEvents.richRun("run", "x");
        RunInfo run = RunInfoBuilder.builder()
                .runId("run")
                .startedAt(rich.startedAt())
                .task(rich.task())
                .environment("calc")
                .model("")
                .params(Map.of("deep", value, "flat", 1))
                .correlation(rich.correlation())
                .build();
        record(List.of(new RunStarted(run, 1)));
        Map<String, Object> params = Journal.open(directory).run("run").run().params();
        assertThat(params).containsEntry("flat", 1);
        assertThat(params.toString()).contains("[too deep]").doesNotContain("bottom");
        assertThat(params.toString().chars().filter(c -> c == '{' || c == '['))
                .hasSize(JsonValues.MAX_DEPTH + 1); // the marker has a bracket of its own
    }

    @Test
    void lines_ofARunWhoseStartIsLost_tellWhatTheyKnow() {
        List<RunEvent> events = SampleEvents.rich("run", "x");
        record(events.subList(6, 7));
        RunSummary run = Journal.open(directory).run("run");
        assertThat(run.run().environment()).isEqualTo("calc");
        assertThat(run.run().model()).isEqualTo("model");
        assertThat(run.run().startedAt()).isEqualTo(SampleEvents.START);
        assertThat(run.steps()).isEqualTo(1);
        RunEvent read = Journal.open(directory).events("run").get(0);
        StepStarted started = ((StepEnded) read).started();
        assertThat(started.seq()).isEqualTo(3);
        assertThat(started.nanos()).isEqualTo(20);
        assertThat(started.parentStep()).isEqualTo(1);
        assertThat(started.observation()).isEqualTo(Content.EMPTY);
    }

    private void record(List<? extends Event> events) {
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            events.forEach(sink::onEvent);
            sink.onBatchEnd();
        }
    }
}

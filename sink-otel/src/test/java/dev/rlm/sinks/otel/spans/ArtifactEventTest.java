package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that runs keep, which are told by events of their spans and never sent. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class ArtifactEventTest {
    private static final String SHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // of "abc"

    private final Rig rig;

    ArtifactEventTest(String protocol) throws IOException {
        rig = Rig.by(protocol);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void file_isAnEventOfTheStepOrTheRunItWasKeptWith() {
        try (Run run = rig.startRun("r");
                Step step = run.startStep()) {
            rig.clock().advanceMillis(5);
            step.artifact("notes.txt", "text/plain", "abc".getBytes(StandardCharsets.UTF_8));
            step.complete("");
            rig.clock().advanceMillis(5);
            run.artifact(Path.of("missing.png"));
            run.complete("");
        }
        assertThat(rig.span("rlm.step").events())
                .containsExactly(RunSpanTest.event(
                        "artifact",
                        5,
                        Map.of(
                                "rlm.artifact.name",
                                "notes.txt",
                                "rlm.artifact.media_type",
                                "text/plain",
                                "rlm.artifact.size",
                                3L,
                                "rlm.artifact.sha256",
                                SHA256)));
        assertThat(rig.span("rlm.run").events())
                .contains(RunSpanTest.event(
                        "artifact",
                        10,
                        Map.of(
                                "rlm.artifact.name", "missing.png",
                                "rlm.artifact.media_type", "image/png",
                                "rlm.artifact.size", 0L,
                                "rlm.artifact.absence", "unreadable")));
    }

    @Test
    void manyFiles_leaveRoomForTheEnd_andAreCounted() {
        try (Run run = rig.startRun("r")) {
            for (int i = 0; i < 200; i++) {
                run.artifact("f" + i, "text/plain", new byte[0]);
                run.reward(1);
            }
            run.complete("the answer");
        }
        OtlpSpan span = rig.span("rlm.run");
        assertThat(span.events().stream().filter(event -> event.name().equals("artifact")))
                .hasSize(30);
        assertThat(span.events().stream().filter(event -> event.name().equals("gen_ai.evaluation.result")))
                .hasSize(90);
        assertThat(span.attributes())
                .containsEntry("rlm.artifact_events_left_out", 170L)
                .containsEntry("rlm.reward_events_left_out", 110L);
        assertThat(span.events()).anyMatch(event -> event.name().equals("final_answer"));
    }
}

package dev.rlm.sinks.mlflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.otel.backend.MlflowServer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** What a real MLflow has of the files that runs keep. */
@Tag("thorough")
class ArtifactUploadTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final MlflowServer SERVING = MlflowServer.servingArtifacts();

    @RegisterExtension
    static final MlflowServer ELSEWHERE = MlflowServer.create();

    private static SinkStatus record(MlflowServer mlflow, String experiment) {
        try (Sinks sinks = Sinks.builder()
                .add(
                        "mlflow",
                        MlflowSink.builder()
                                .trackingUri(URI.create(mlflow.url()))
                                .experiment(experiment)
                                .build())
                .build()) {
            sinks.registerSecret("planted-s3cret-value");
            try (Run run = sinks.startRun(RunSpec.builder("env").runId("r/1").build())) {
                try (Step step = run.startStep()) {
                    step.artifact(
                            "notes é.txt", "text/plain", "a planted-s3cret-value".getBytes(StandardCharsets.UTF_8));
                    step.complete("");
                }
                run.artifact("../../x", "text/plain", "plain".getBytes(StandardCharsets.UTF_8));
                run.artifact(Path.of("missing"));
                run.complete("");
            }
            sinks.flush(PATIENCE);
            return sinks.statuses().get(0);
        }
    }

    @Test
    void files_areArtifactsOfTheJobsRun() {
        SinkStatus status = record(SERVING, "files");

        JsonNode run = new Tracked(SERVING.url()).run("files");
        String id = run.path("info").path("run_id").asString();
        JsonNode folder = SERVING.ask("/api/2.0/mlflow/artifacts/list", Map.of("run_id", id));
        String first = folder.path("files").path(0).path("path").asString();
        assertThat(first).startsWith("r_1");
        JsonNode files = SERVING.ask("/api/2.0/mlflow/artifacts/list", Map.of("run_id", id, "path", first));
        assertThat(files.path("files").size()).isEqualTo(2);
        assertThat(files.path("files"))
                .anySatisfy(file -> assertThat(
                                SERVING.artifact(id, file.path("path").asString()))
                        .startsWith("a [REDACTED:registered:"))
                .anySatisfy(file -> assertThat(
                                SERVING.artifact(id, file.path("path").asString()))
                        .isEqualTo("plain"));
        assertThat(status.available()).as(status.detail()).isTrue();
        assertThat(status.facts()).containsEntry("artifacts_exported", 2L);
        assertThat(status.ledger().dropped()).isEmpty();
        assertThat(status.ledger().delivered()).isEqualTo(status.ledger().offered());
    }

    @Test
    void filesThatGoPastTheServer_areCounted_andTheStatusSaysSo() {
        SinkStatus status = record(ELSEWHERE, "elsewhere");

        assertThat(status.available()).isFalse();
        assertThat(status.detail())
                .contains("artifacts off: ")
                .contains("not through the server")
                .contains("--artifacts-destination");
        assertThat(status.ledger().dropped()).containsOnly(Map.entry("artifacts_not_served", 2L));
        assertThat(status.ledger().delivered()).isEqualTo(status.ledger().offered() - 2);
    }
}

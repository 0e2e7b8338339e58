package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The span of a job, in the journal and by OTLP. */
class JobSpanTest {
    @TempDir
    Path directory;

    @Test
    void job_isASpanThatItsRunsLinkTo_alsoWhereItIsSentAgain() throws Exception {
        try (OtlpReceiver receiver = OtlpReceiver.start();
                OtlpReceiver again = OtlpReceiver.start()) {
            Cli run = Cli.with(
                    variables(receiver),
                    "run",
                    "--samples",
                    "2",
                    "--error-rate",
                    "0",
                    "--retries",
                    "1",
                    "--invocation",
                    "my-job",
                    "--journal",
                    directory.toString());
            assertThat(run.exitCode()).as(run.err()).isZero();

            List<OtlpSpan> jobs = receiver.spans("rlm.job");
            assertThat(jobs).hasSize(1);
            OtlpSpan job = jobs.get(0);
            List<OtlpSpan> runs = receiver.spans("rlm.run");
            assertThat(job.parentId()).isEmpty();
            assertThat(job.attributes())
                    .containsEntry("rlm.invocation_id", "my-job")
                    .containsEntry("rlm.job.size", (long) runs.size())
                    .containsEntry("rlm.job.ended", (long) runs.size())
                    .containsEntry("rlm.job.solved", (long) runs.size())
                    .containsEntry("rlm.job.failed", 0L)
                    .containsEntry("rlm.job.retries", 1L)
                    .containsEntry("rlm.job.outcome", "completed")
                    .doesNotContainKey("error.type");
            assertThat(runs).isNotEmpty().allSatisfy(span -> {
                assertThat(span.links())
                        .extracting(OtlpSpan.Link::traceId, OtlpSpan.Link::spanId)
                        .containsExactly(tuple(job.traceId(), job.spanId()));
                assertThat(span.startNanos()).isGreaterThanOrEqualTo(job.startNanos());
            });
            assertThat(lines())
                    .filteredOn(line -> line.contains("\"type\":\"standalone_span_recorded\""))
                    .filteredOn(line -> line.contains("\"name\":\"rlm.job\""))
                    .singleElement()
                    .asString()
                    .contains("\"trace_id\":\"" + job.traceId() + "\"", "\"span_id\":\"" + job.spanId() + "\"");

            Cli resend = Cli.with(variables(again), "resend", "--sink", "otel", "--journal", directory.toString());
            assertThat(resend.exitCode()).as(resend.err()).isZero();
            assertThat(again.spans("rlm.job"))
                    .singleElement()
                    .usingRecursiveComparison()
                    .isEqualTo(job);
        }
    }

    private static Map<String, String> variables(OtlpReceiver receiver) {
        return Map.of(
                "RLM_OTEL_ENABLED", "true",
                "RLM_OTEL_METRICS_ENABLED", "false",
                "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint());
    }

    private List<String> lines() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.getFileName().toString().endsWith(".jsonl"))
                    .filter(file -> file.getFileName().toString().startsWith("events-"))
                    .flatMap(file -> {
                        try {
                            return Files.readAllLines(file).stream();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .toList();
        }
    }
}

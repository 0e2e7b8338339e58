package dev.rlm.benchmarks.job;

import dev.rlm.benchmarks.Receiver;
import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * {@code ./rlm run} with recorded solutions, with the journal and OpenTelemetry or with no sink.
 *
 * @param root where the launcher is
 */
record Replay(String name, Path root, Path dataset, boolean watched) implements Contender {
    @Override
    public Sample measure() {
        try (TemporaryFolder folder = TemporaryFolder.create("replay");
                Receiver receiver = new Receiver()) {
            return new Commands(name, root, variables(folder.path(), receiver), 1, command()).measure();
        } catch (IOException e) {
            throw new FigureException(name + ": " + e.getMessage());
        }
    }

    private Map<String, String> variables(Path folder, Receiver receiver) {
        return Map.of(
                "RLM_OBS_ENABLED", String.valueOf(watched),
                "RLM_JSONL_DIR", folder.toString(),
                "RLM_OTEL_ENABLED", "true",
                "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
                "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint().toString());
    }

    private List<String> command() {
        return List.of(
                root.resolve("rlm").toString(),
                "run",
                "--policy",
                "recorded",
                "--dataset",
                dataset.toString(),
                "--concurrency",
                "2");
    }
}

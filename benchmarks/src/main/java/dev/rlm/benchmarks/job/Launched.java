package dev.rlm.benchmarks.job;

import dev.rlm.benchmarks.Receiver;
import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A command of {@code ./rlm}, from its start to its exit, with a new journal and OpenTelemetry or with no sink.
 *
 * @param root where the launcher is
 * @param arguments asked for before it is timed
 */
record Launched(String name, Path root, boolean watched, Supplier<List<String>> arguments) implements Contender {
    @Override
    public Sample measure() {
        try (TemporaryFolder folder = TemporaryFolder.create("launched");
                Receiver receiver = new Receiver()) {
            Map<String, String> variables = variables(folder.path(), receiver);
            var unused = commands(variables, List.of("--version"))
                    .measure(); // the launcher builds where sources have changed
            return commands(variables, arguments.get()).measure();
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

    private Commands commands(Map<String, String> variables, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(root.resolve("rlm").toString());
        command.addAll(arguments);
        return new Commands(name, root, variables, 1, command);
    }
}

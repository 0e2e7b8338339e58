package dev.rlm.cli.deploy;

import static org.awaitility.Awaitility.await;

import dev.rlm.cli.backend.JournalFigures;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.otel.backend.TempoFound;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Processes that record runs at the same time, in a {@link GrafanaStack} of their own. */
final class Load implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MANY = 1_000;

    private final GrafanaStack stack;
    private final Instant start = Instant.now();
    private final List<Path> journals = new ArrayList<>();
    private final List<RlmProcess> processes = new ArrayList<>();
    private JournalFigures figures = new JournalFigures(List.of());
    private Instant end = start;

    private Load(GrafanaStack stack) {
        this.stack = stack;
    }

    /**
     * Starts one.
     *
     * @param arguments what it is told, so that it lives as long as it is to live
     */
    static Load start(Path folder, int processes, Class<?> program, String... arguments) throws IOException {
        Load load = new Load(GrafanaStack.start());
        for (int i = 0; i < processes; i++) {
            Path own = Files.createDirectories(folder.resolve(Integer.toString(i)));
            load.journals.add(own.resolve(".rlm"));
            Map<String, String> variables =
                    Map.of("RLM_OTEL_ENABLED", "true", "OTEL_EXPORTER_OTLP_ENDPOINT", load.stack.endpoint());
            load.processes.add(RlmProcess.start(own, variables, program, arguments));
        }
        return load;
    }

    /** Waits until its processes have ended, all well, and what they sent can be found. */
    void awaitEnd() throws IOException, InterruptedException {
        for (RlmProcess process : processes) {
            process.awaitSuccess();
        }
        end = Instant.now();
        figures = JournalFigures.of(journals);
        long runs = figures.all(RunEnded.class).count();
        await().atMost(PATIENCE)
                .until(() -> search("{ name = \"rlm.run\" }", MANY).size() == runs);
    }

    GrafanaStack stack() {
        return stack;
    }

    /** What the journals tell; nothing before the end. */
    JournalFigures figures() {
        return figures;
    }

    Instant start() {
        return start;
    }

    Instant end() {
        return end;
    }

    /** From before its start to its end, in whole seconds. */
    Duration range() {
        return Duration.ofSeconds(Duration.between(start, end).toSeconds() + 1);
    }

    List<TempoFound> search(String traceQl, int limit) {
        return stack.tempo().search(traceQl, limit, start, Instant.now());
    }

    @Override
    public void close() {
        processes.forEach(RlmProcess::close);
        stack.close();
    }
}

package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.mlflow.rest.Answer;
import dev.rlm.sinks.mlflow.rest.Artifacts;
import dev.rlm.sinks.mlflow.rest.FoundRun;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An episode's lines of the journal, as {@code events.jsonl} of its MLflow run. They are read where the run's end says that
 * its record lies, when the end has been written there.
 */
final class JournalArtifact {
    private static final String NAME = "events.jsonl";
    private static final int MAX_BYTES = 10_000_000;
    private static final int HEAD = 1_024; // characters of a line in which its type and run stand
    private static final int ATTEMPTS = 20;
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Path journal;
    private final String run;

    private JournalArtifact(Path journal, String run) {
        this.journal = journal;
        this.run = "\"run_id\":\"" + run + "\"";
    }

    /** That of the episode; {@code null} where no record of it can be read. */
    static @Nullable JournalArtifact of(RunEnded end) {
        try {
            Path path = end.runPath() == null ? null : Path.of(end.runPath());
            return path != null && Files.isReadable(path)
                    ? new JournalArtifact(path, end.run().runId())
                    : null;
        } catch (InvalidPathException e) {
            return null; // a place of another kind
        }
    }

    /** Keeps it with the run; why it could not, where it could not. */
    Optional<String> send(TrackingServer server, FoundRun to) {
        try {
            byte[] lines = lines();
            for (int i = 0; i < ATTEMPTS && !hasEnd(lines) && server.pause(PAUSE); i++) {
                lines = lines();
            }
            if (lines.length > MAX_BYTES) {
                return Optional.of("too_large");
            }
            Answer answer = Artifacts.put(server, to, NAME, lines);
            return Optional.ofNullable(answer.failure()).map(failure -> failure.reason());
        } catch (IOException e) {
            return Optional.of("unreadable");
        }
    }

    private static boolean hasEnd(byte[] lines) {
        return new String(lines, StandardCharsets.UTF_8).contains("\"type\":\"run_ended\"");
    }

    private byte[] lines() throws IOException {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (Path file : files()) {
            try (BufferedReader reader = Files.newBufferedReader(file)) {
                for (String line = reader.readLine();
                        line != null && lines.size() <= MAX_BYTES;
                        line = reader.readLine()) {
                    if (line.substring(0, Math.min(HEAD, line.length())).contains(run)) {
                        lines.writeBytes((line + "\n").getBytes(StandardCharsets.UTF_8));
                    }
                }
            }
        }
        return lines.toByteArray();
    }

    private List<Path> files() throws IOException {
        if (!Files.isDirectory(journal)) {
            return List.of(journal);
        }
        try (Stream<Path> all = Files.list(journal)) {
            return all.filter(file -> file.getFileName().toString().matches("events-\\d+\\.jsonl"))
                    .sorted()
                    .toList();
        }
    }
}

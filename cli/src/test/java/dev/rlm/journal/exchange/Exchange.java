package dev.rlm.journal.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.Cli;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A journal, and the commands that bring runs out of it and into it. */
final class Exchange {
    private static final JsonMapper JSON = new JsonMapper();

    private final Path journal;

    Exchange(Path journal) {
        this.journal = journal;
    }

    Path journal() {
        return journal;
    }

    /** Records into the journal what is given to the hub. */
    void record(Consumer<Sinks> recording) {
        try (Sinks sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(journal).build())
                .secret("hunter2-secret")
                .build()) {
            recording.accept(sinks);
        }
    }

    Cli run(String... arguments) {
        return Cli.with(
                Map.of("RLM_JSONL_DIR", journal.toString()),
                Stream.of(arguments).toArray(String[]::new));
    }

    /** Writes the runs to that file, with what it may take beside. */
    Cli export(String format, Path file, String... options) {
        return run(
                Stream.concat(Stream.of("export", "--format", format, "--output", file.toString()), Stream.of(options))
                        .toArray(String[]::new));
    }

    /** The lines of an export to standard output. */
    List<JsonNode> exported(String format, String... options) {
        Cli printed = run(Stream.concat(Stream.of("export", "--format", format, "--output", "-"), Stream.of(options))
                .toArray(String[]::new));
        assertThat(printed.exitCode()).as(printed.err()).isZero();
        return printed.out().lines().map(JSON::readTree).toList();
    }

    static List<JsonNode> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream().map(JSON::readTree).toList();
    }
}

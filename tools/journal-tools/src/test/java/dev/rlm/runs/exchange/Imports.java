package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Imports of one format into a journal, and what comes of them. */
final class Imports {
    private final Path folder;
    private final String format;
    private final Exchange exchange;

    /** Into a journal in that folder, where the files lie too. */
    Imports(Path folder, String format) {
        this.folder = folder;
        this.format = format;
        this.exchange = new Exchange(folder.resolve("journal-" + format));
    }

    Exchange exchange() {
        return exchange;
    }

    Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    Cli run(Path file, String... options) {
        String[] arguments = new String[options.length + 4];
        System.arraycopy(options, 0, arguments, 4, options.length);
        arguments[0] = "import";
        arguments[1] = "--format";
        arguments[2] = format;
        arguments[3] = file.toString();
        return exchange.run(arguments);
    }

    /** Imports what must be without fault. */
    Cli whole(Path file) {
        Cli imported = run(file);
        assertThat(imported.exitCode()).as(imported.err()).isZero();
        return imported;
    }

    /** Imports a text that ends the import, and returns what is told of it. */
    String refused(String name, String text) throws IOException {
        Cli imported = run(write(name, text));
        assertThat(imported.exitCode()).as(imported.err()).isEqualTo(1);
        return imported.err();
    }

    List<RunSummary> runs() {
        return Journal.open(exchange.journal()).runs();
    }

    /** The run of that sample. */
    RunSummary sample(String id) {
        return runs().stream()
                .filter(run -> id.equals(run.run().correlation().sample()))
                .findFirst()
                .orElseThrow();
    }

    <T extends RunEvent> List<T> events(RunSummary run, Class<T> kind) {
        return Journal.open(exchange.journal()).events(run.run().runId()).stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    /** The run's start has its texts. */
    RunEvent start(RunSummary run) {
        return events(run, RunEvent.class).get(0);
    }

    RunEnded end(RunSummary run) {
        return Objects.requireNonNull(events(run, RunEnded.class).get(0));
    }

    /** The figures of all runs. */
    JsonNode report() {
        return new JsonMapper().readTree(exchange.run("report", "--json").out()).get("all");
    }
}

package dev.rlm.runs.scan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A journal that is scanned. */
record ScanJournal(Path directory) {
    private static final JsonMapper JSON = new JsonMapper();

    Sinks open() {
        return Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(directory).build())
                .build();
    }

    /** Records one run, whose true answer is 42. */
    void record(String runId, Consumer<Script> acting) {
        record(
                RunSpec.builder("bench")
                        .runId(runId)
                        .task("What is asked?")
                        .expectedAnswer("42")
                        .model("m")
                        .build(),
                acting);
    }

    void record(RunSpec spec, Consumer<Script> acting) {
        try (Sinks sinks = open();
                Run run = sinks.startRun(spec)) {
            acting.accept(new Script(run));
        }
    }

    Cli run(String verb, String... options) {
        return Cli.with(
                Map.of(),
                Stream.concat(Stream.of(verb, "--journal", directory.toString(), "--index", "none"), Stream.of(options))
                        .toArray(String[]::new));
    }

    /** The findings of a scan that goes well. */
    List<JsonNode> found(String... options) {
        Cli scanned = run(
                "scan", Stream.concat(Stream.of("--json"), Stream.of(options)).toArray(String[]::new));
        assertThat(scanned.exitCode()).as(scanned.err()).isZero();
        return scanned.out().lines().map(JSON::readTree).toList();
    }

    /** The rules that find something, by run. */
    Map<String, Set<String>> rulesByRun() {
        Map<String, Set<String>> rules = new TreeMap<>();
        found("--rule", "all")
                .forEach(finding -> rules.computeIfAbsent(finding.get("run_id").asString(), run -> new TreeSet<>())
                        .add(finding.get("rule").asString()));
        return rules;
    }
}

package dev.rlm.runs.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Share of the findings of each rule that are right, in runs of which it is known what happened. */
@Timeout(300)
class ScanPrecisionTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Path DOCS = Path.of("../../docs/scan.md");
    private static final long SEED = 20_261_126;
    private static final int EACH = 20; // planted runs a case
    private static final int PROBLEMS = 300; // of four solutions each
    private static final int MAX_STEPS = 5;
    private static final double WANTED = 0.9;

    @TempDir
    Path folder;

    private static Map<ScanRule, Precision> precisions(Map<String, Set<String>> found, Map<String, String> truths) {
        Map<ScanRule, Precision> precisions = new EnumMap<>(ScanRule.class);
        List<String> wrong = new ArrayList<>();
        found.forEach((run, rules) -> rules.forEach(label -> {
            ScanRule rule = ScanRule.named(List.of(label)).get(0);
            boolean right = Objects.requireNonNull(truths.get(run), run).contains(label);
            precisions.merge(rule, Precision.NONE.with(right), Precision::and);
            if (!right && rule != ScanRule.ANSWER_SEEN) {
                wrong.add(label + " in " + run + " (" + truths.get(run) + ")");
            }
        }));
        assertThat(wrong).isEmpty();
        return precisions;
    }

    private Map<ScanRule, Precision> planted() {
        ScanJournal journal = new ScanJournal(folder.resolve("planted"));
        PlantedRuns runs = new PlantedRuns(SEED);
        Map<String, String> truths;
        try (Sinks sinks = journal.open()) {
            truths = runs.record(sinks, EACH);
        }
        Map<String, Set<String>> found = journal.rulesByRun();
        List<String> missed = truths.entrySet().stream()
                .filter(truth -> !truth.getValue().isEmpty())
                .filter(truth -> !found.getOrDefault(truth.getKey(), Set.of()).contains(truth.getValue()))
                .map(truth -> truth.getKey() + " " + truth.getValue())
                .toList();
        assertThat(missed).as("planted and not found").isEmpty();
        assertThat(truths).hasSizeGreaterThan(1_000);
        return precisions(found, truths);
    }

    /** Solutions that models gave to GSM8K's problems; what is to be found in each follows from its text alone. */
    private Map<ScanRule, Precision> recorded(Path solutions) throws IOException {
        ScanJournal journal = new ScanJournal(folder.resolve("recorded"));
        try (Sinks sinks = journal.open()) {
            new RecordedSolutions(solutions, PROBLEMS, MAX_STEPS).record(sinks);
        }
        List<String> lines = Files.readAllLines(solutions);
        Map<String, String> truths = new TreeMap<>();
        for (RunSummary run : Journal.open(journal.directory()).runs()) {
            String sample = Objects.requireNonNull(run.run().correlation().sample());
            int line = Integer.parseInt(sample.substring(sample.lastIndexOf('-') + 1));
            String text = JSON.readTree(lines.get(line - 1))
                    .path(run.run().model())
                    .path("solution")
                    .asString();
            truths.put(run.runId(), truth(text));
        }
        assertThat(truths).hasSize(4 * PROBLEMS);
        Map<ScanRule, Precision> precisions = precisions(journal.rulesByRun(), truths);
        long cutOff = truths.values().stream()
                .filter(truth -> truth.contains("truncation"))
                .count();
        assertThat(precisions.getOrDefault(ScanRule.TRUNCATION, Precision.NONE).right())
                .isEqualTo((int) cutOff);
        return precisions;
    }

    private static String truth(String solution) {
        List<String> calls = new ArrayList<>();
        int end = 0;
        for (Matcher call = Pattern.compile("<<([^\n]*?)>>").matcher(solution); call.find(); end = call.end()) {
            calls.add(call.group(1).split("=", 2)[0].strip());
        }
        boolean cutOff = calls.size() >= MAX_STEPS; // the answer would be one step more
        int same = 1;
        boolean again = false;
        for (int i = 1; i < Math.min(calls.size(), MAX_STEPS); i++) {
            same = calls.get(i).equals(calls.get(i - 1)) ? same + 1 : 1;
            again |= same >= 4;
        }
        String ending = solution.substring(end);
        boolean circles = !cutOff && ending.length() > 360 && ending.matches("(?s).*?(.{1,60}?)\\1{5,}.{0,59}");
        return (again || circles ? "loop " : "") + (cutOff ? "truncation" : "");
    }

    @Test
    void rulesThatAreOnByDefault_arePreciseInPlantedRuns() {
        planted().forEach((rule, precision) -> {
            if (ScanRule.named(null).contains(rule)) {
                assertThat(precision.low()).as(rule + ": " + precision.text()).isGreaterThanOrEqualTo(WANTED);
            }
        });
    }

    @Test
    void rulesThatAreOnByDefault_arePrecise_alsoInRecordings_asThePageSays() throws IOException {
        String solutions = System.getenv("GSM8K_SOLUTIONS");
        assumeTrue(solutions != null, "GSM8K_SOLUTIONS names no file of recorded solutions");
        Map<ScanRule, Precision> planted = planted();
        Map<ScanRule, Precision> recorded = recorded(Path.of(solutions));

        List<String> rows = Arrays.stream(ScanRule.values())
                .map(rule -> row(
                        rule, planted.getOrDefault(rule, Precision.NONE), recorded.getOrDefault(rule, Precision.NONE)))
                .toList();

        assertThat(Files.readString(DOCS)).contains(rows);
        for (ScanRule rule : ScanRule.values()) {
            Precision all = planted.getOrDefault(rule, Precision.NONE).and(recorded.getOrDefault(rule, Precision.NONE));
            assertThat(ScanRule.named(null).contains(rule))
                    .as(rule + ": " + all.text())
                    .isEqualTo(all.low() >= WANTED);
        }
    }

    private static String row(ScanRule rule, Precision planted, Precision recorded) {
        return "| `" + rule.label() + "` | " + planted.counts() + " | " + recorded.counts() + " | "
                + planted.and(recorded).text() + " |";
    }

    /** Conversations of an agent with tools and a customer, in none of which anything is to be found. */
    @Test
    void conversationsOfARealAgent_haveNoFalseFindings() throws IOException {
        String file = System.getenv("TAU_BENCH_TRAJECTORIES");
        assumeTrue(file != null, "TAU_BENCH_TRAJECTORIES names no file of its trajectories");
        ScanJournal journal = new ScanJournal(folder.resolve("real"));
        StringBuilder chats = new StringBuilder();
        for (JsonNode run : JSON.readTree(Path.of(file).toFile())) {
            ObjectNode chat = JSON.createObjectNode()
                    .put(
                            "run_id",
                            "tau-" + run.get("task_id").asInt() + "-"
                                    + run.get("trial").asInt())
                    .put("environment", "tau-bench")
                    .put("reward", run.get("reward").asDouble());
            run.get("traj").forEach(message -> {
                ObjectNode said = chat.withArrayProperty("messages").addObject();
                List.of("role", "content", "tool_calls", "tool_call_id", "name").forEach(name -> {
                    if (message.hasNonNull(name)) {
                        said.set(name, message.get(name));
                    }
                });
            });
            chats.append(JSON.writeValueAsString(chat)).append('\n');
        }
        Path lines = Files.writeString(folder.resolve("chats.jsonl"), chats);
        Cli imported = Cli.with(
                Map.of("RLM_JSONL_DIR", journal.directory().toString()),
                "import",
                "--format",
                "chat",
                lines.toString());
        assertThat(imported.exitCode()).as(imported.err()).isZero();

        List<JsonNode> found = journal.found("--rule", "all");

        assertThat(Journal.open(journal.directory()).runs()).hasSize(200);
        assertThat(found).isEmpty();
    }
}

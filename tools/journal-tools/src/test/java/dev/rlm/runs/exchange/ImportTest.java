package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.Verdict;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Runs that {@code rlm import} makes of what others have recorded. */
@Timeout(180)
class ImportTest {
    static final String CHAT = """
            {"sample_id": "s-1", "trial": 3, "model": "m", "reward": 1, "environment": "shop",
             "messages": [
              {"role": "system", "content": "Be brief."},
              {"role": "user", "content": [{"type": "text", "text": "3 + 4,"}, {"type": "image_url"}, {"type": "text", "text": "please"}]},
              {"role": "assistant", "content": null, "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "add", "arguments": "{\\"x\\": 3}"}},
                {"id": "b", "type": "function", "function": {"name": "div", "arguments": {"y": 0}}}]},
              {"role": "tool", "tool_call_id": "b", "content": "Error: division by zero"},
              {"role": "tool", "tool_call_id": "a", "content": "7"},
              {"role": "assistant", "content": "It is 7."}],
             "timestamps": ["2026-03-01T10:00:00Z", "2026-03-01T10:00:01Z", "2026-03-01T10:00:03Z",
              "2026-03-01T10:00:04Z", "2026-03-01T10:00:04.5Z", 1772359210],
             "metadata": {"lr": 0.5, "nested": {"deep": [1, null, true]}, "nothing": null}}
            """.replace("\n", "");

    /** The rest of a run that calls a tool. */
    private static final String CALLS = "\"task\":\"t\",\"messages\":["
            + "{\"role\":\"user\",\"content\":\"t\"},"
            + "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"1\",\"type\":\"function\","
            + "\"function\":{\"name\":\"add\",\"arguments\":\"\"}}]},"
            + "{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"7\"}]}";

    @TempDir
    private Path folder;

    private Exchange exchange;

    @BeforeEach
    void chooseJournal() {
        exchange = new Exchange(folder.resolve("journal"));
    }

    @Test
    void unknownFields_areToldOnceEach_withTheirLines() throws IOException {
        String line = "{\"run_id\":\"r-%d\",\"judge\":%s,\"solved\":true,\"messages\":[{\"role\":\"assistant\","
                + "\"content\":\"hi\",\"refusal\":null,\"audio\":%s,\"tool_calls\":[{\"id\":\"c\",\"cache\":1,"
                + "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}]}";
        String[] lines = {
            line.formatted(1, "\"a\"", "{}"), line.formatted(2, "0", "null"), line.formatted(3, "null", "null")
        };

        Cli imported = importing(String.join("\n", lines));

        assertThat(imported.exitCode()).isZero();
        assertThat(imported.out()).startsWith("imported 3 runs\n");
        assertThat(imported.err().lines())
                .containsExactly(
                        "warning: \"judge\" is not known and was not taken over, in 2 lines",
                        "warning: \"messages[].audio\" is not known and was not taken over, in 1 line",
                        "warning: \"messages[].tool_calls[].cache\" is not known and was not taken over, in 3 lines");
        assertThat(exchange.run("import", file().toString(), "--json").out())
                .contains(
                        "\"unknown_fields\":[{\"field\":\"judge\",\"lines\":2},{\"field\":\"messages[].audio\",\"lines\":1},");
    }

    @Test
    void manyUnknownFields_areAFewLines() throws IOException {
        StringBuilder fields = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            fields.append("\"score_").append(i).append("\":1,");
        }

        Cli imported = importing("{" + fields + "\"messages\":[]}");

        assertThat(imported.err().lines())
                .hasSize(11)
                .last()
                .isEqualTo("warning: nor were 90 or more other fields (--json tells which)");
    }

    @Test
    void message_ofTheAssistant_isAStep_withItsCalls_atItsTime() throws IOException {
        Cli imported = importing(CHAT);
        assertThat(imported.exitCode()).as(imported.err()).isZero();
        assertThat(imported.out()).startsWith("imported 1 run\njsonl    ");

        RunSummary run = journal().runs().get(0);
        assertThat(run.run().runId()).startsWith("chat-");
        assertThat(run.run().environment()).isEqualTo("shop");
        assertThat(run.run().model()).isEqualTo("m");
        assertThat(run.run().task().text()).isEqualTo("3 + 4,\n[image_url]\nplease");
        assertThat(run.run().correlation().sample()).isEqualTo("s-1");
        assertThat(run.run().correlation().trajectoryIndex()).isEqualTo(3);
        assertThat(run.run().params())
                .containsEntry("lr", 0.5)
                .containsKey("nested")
                .containsEntry("nested", Map.of("deep", Arrays.asList(1, null, true)))
                .doesNotContainKey("nothing");
        assertThat(run.run().tags()).isEmpty();
        assertThat(run.run().startedAt()).isEqualTo(Instant.parse("2026-03-01T10:00:00Z"));
        assertThat(run.duration()).isEqualTo(Duration.ofSeconds(10));
        assertThat(run.isSolved()).isTrue();
        assertThat(run.totalReward()).isEqualTo(1.0);
        assertThat(run.steps()).isEqualTo(2);
        assertThat(end(run).finalAnswer()).hasToString("It is 7.");
        assertThat(end(run).runPath()).isEqualTo(run.folders().get(0).toString());
    }

    @Test
    void calls_areThoseOfTheTranscript() throws IOException {
        importing(CHAT);
        List<RunEvent> events = events(journal().runs().get(0));
        List<ModelCalled> models = of(events, ModelCalled.class);
        assertThat(models).hasSize(2);
        assertThat(models.get(0).messages()).extracting(Message::role).containsExactly("system", "user");
        assertThat(models.get(0).duration()).isEqualTo(Duration.ofSeconds(2));
        assertThat(models.get(1).messages()).hasSize(5);
        assertThat(models.get(1).messages().get(2).toolCalls()).hasSize(2);
        List<ToolCalled> tools = of(events, ToolCalled.class);
        assertThat(tools).extracting(ToolCalled::tool).containsExactly("div", "add");
        assertThat(tools).extracting(ToolCalled::failed).containsExactly(true, false);
        assertThat(tools.get(0).error()).hasToString("Error: division by zero");
        assertThat(tools.get(0).arguments()).hasToString("{\"y\":0}");
        assertThat(tools.get(1).result()).hasToString("7");
        assertThat(tools.get(1).duration()).isEqualTo(Duration.ofMillis(500));
        List<StepEnded> steps = of(events, StepEnded.class);
        assertThat(steps.get(0).success()).isFalse();
        assertThat(steps.get(0).started().observation()).hasToString("3 + 4,\n[image_url]\nplease");
        assertThat(steps.get(1).success()).isTrue();
        assertThat(events)
                .extracting(RunEvent::seq)
                .containsExactlyElementsOf(IntStream.rangeClosed(1, events.size())
                        .mapToObj(Long::valueOf)
                        .toList());
    }

    @Test
    void references_stayParts_andAreExportedAsTheyCame() throws IOException {
        String parts = "[{\"type\":\"text\",\"text\":\"What is this?\"},"
                + "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://x.test/1.png\"}},"
                + "{\"type\":\"text\",\"text\":\"And this?\"},"
                + "{\"type\":\"audio_url\",\"audio_url\":{\"url\":\"https://x.test/1.wav\"}}]";
        Cli imported = importing("{\"run_id\":\"r\",\"messages\":[{\"role\":\"user\",\"content\":" + parts
                + "},{\"role\":\"assistant\",\"content\":\"A cat.\"}]}");

        assertThat(imported.err()).isEmpty();
        assertThat(journal().runs().get(0).run().task()).hasToString("What is this?\nAnd this?");
        assertThat(exchange.exported("chat").get(0).at("/messages/0/content").toString())
                .isEqualTo(parts);
    }

    @Test
    void dataInAnAddress_isNamed() throws IOException {
        importing(
                "{\"run_id\":\"r\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\","
                        + "\"image_url\":{\"url\":\"data:image/png;base64,AAAA\"}}]},{\"role\":\"assistant\",\"content\":\"A cat.\"}]}");

        assertThat(exchange.exported("chat").get(0).at("/messages/0/content").asString())
                .isEqualTo("[image_url]");
    }

    @Test
    void sameLine_isImportedOnce_howeverItsFieldsAreOrdered() throws IOException {
        importing(CHAT + "\n" + CHAT.replace("\"trial\": 3, \"model\": \"m\"", "\"model\":\"m\",\"trial\":3"));
        Cli again = importing(CHAT + "\n" + CHAT.replace("\"trial\": 3", "\"trial\": 4"));
        assertThat(again.out()).contains("imported 1 run\n", "left out 1 run known already, or alike in all fields\n");
        assertThat(journal().runs()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "1,1.0,true,100",
        "0,0.0,false,100",
        "true,1.0,true,100",
        "false,0.0,false,100",
        "-0.5,-0.5,false,100",
        "NaN,0.0,false,102",
        "\"NaN\",0.0,false,102"
    })
    void reward_mayBeANumberOrAVerdict_orAbsent(String given, double total, boolean solved, int status)
            throws IOException {
        importing("{\"reward\":" + given + ",\"messages\":[{\"role\":\"assistant\",\"content\":\"hi\"}]}");
        RunSummary run = journal().runs().get(0);
        assertThat(run.totalReward()).isEqualTo(total);
        assertThat(run.isSolved()).isEqualTo(solved);
        assertThat(end(run).status().code()).isEqualTo(status);
        assertThat(end(run).hasUsableReward()).isEqualTo(status == RunStatus.FINISHED);
        assertThat(of(events(run), RewardGiven.class)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"reward\":null,", "\"reward\":null,\"solved\":null,"})
    void rewardThatIsNotThere_isNone(String fields) throws IOException {
        importing("{" + fields + "\"messages\":[{\"role\":\"assistant\",\"content\":\"hi\"}]}");
        RunSummary run = journal().runs().get(0);
        assertThat(run.totalReward()).isNull();
        assertThat(run.verdict()).isEqualTo(Verdict.UNREWARDED);
        assertThat(end(run).status().code()).isEqualTo(RunStatus.FINISHED);
        assertThat(of(events(run), RewardGiven.class)).isEmpty();
    }

    @Test
    void rewardThatIsNotThere_isAbsent_whereSolvedIsTold() throws IOException {
        importing("{\"solved\":false,\"messages\":[{\"role\":\"assistant\",\"content\":\"hi\"}]}");
        RunSummary run = journal().runs().get(0);
        assertThat(run.verdict()).isEqualTo(Verdict.UNSOLVED);
        assertThat(run.rewards().absent()).isEqualTo(1);
    }

    @Test
    void missingTimes_areMadeUp_andMarked() throws IOException {
        Instant before = Instant.now();
        importing("{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"}]}");
        RunSummary run = journal().runs().get(0);
        assertThat(run.run().startedAt()).isAfterOrEqualTo(before);
        assertThat(run.run().tags()).containsEntry("import.times", "made_up");
        assertThat(run.duration()).isNull();
        assertThat(run.run().environment()).isEqualTo("imported");
    }

    @Test
    void runWithoutTimes_hasNoDurationAndNoLatencies_anywhere() throws IOException {
        importing("{\"run_id\":\"r\"," + CALLS);

        assertThat(exchange.run("list").out().lines().toList().get(1))
                .doesNotContain("ms")
                .doesNotMatch(".*\\d s");
        assertThat(exchange.run("list", "--duration", "0s..").out()).contains("0 of 1 runs");
        assertThat(exchange.run("list", "--json").out()).doesNotContain("duration_nanos", "finished_at");
        assertThat(exchange.run("show", "r").out())
                .contains("step 1", "tool", "model")
                .doesNotContainPattern("\\d ?ms");
        assertThat(exchange.run("show", "r", "--tools").out()).doesNotContain("ms");
        JsonNode all = new ObjectMapper()
                .readTree(exchange.run("report", "--json").out())
                .get("all");
        for (String figure : List.of("duration_p50", "model_call_p50", "tool_call_p95")) {
            assertThat(all.get(figure).isNull()).as(figure).isTrue();
        }
        assertThat(all.get("tool_calls").asInt()).isEqualTo(1);
        assertThat(all.get("runs_without_times").asInt()).isEqualTo(1);
        assertThat(exchange.run("report").out())
                .contains("1 run was imported without times: they are in no latency, and without start and end in no");
        assertThat(exchange.run("report", "--phases").out()).contains("0 of 1 runs in ", "1 run was imported without");
        assertThat(exchange.exported("chat").get(0).toString()).doesNotContain("timestamps", "finished_at");
        Path tables = folder.resolve("tables");
        assertThat(exchange.export("csv", tables).exitCode()).isZero();
        assertThat(column(tables.resolve("runs.csv"), "duration_s")).isEmpty();
        assertThat(column(tables.resolve("runs.csv"), "finished_at")).isEmpty();
        assertThat(column(tables.resolve("steps.csv"), "duration_s")).isEmpty();
        assertThat(column(tables.resolve("steps.csv"), "started_at")).isEmpty();
    }

    @Test
    void runWithStartAndEndAlone_hasADuration_andNoLatencies() throws IOException {
        importing("{\"run_id\":\"r\",\"started_at\":\"2026-03-01T10:00:00Z\",\"finished_at\":\"2026-03-01T10:00:08Z\","
                + CALLS);

        RunSummary run = journal().runs().get(0);
        assertThat(run.run().tags()).containsEntry("import.times", "made_up_within");
        assertThat(run.duration()).isEqualTo(Duration.ofSeconds(8));
        JsonNode all = new ObjectMapper()
                .readTree(exchange.run("report", "--json").out())
                .get("all");
        assertThat(all.get("duration_p50").asDouble()).isEqualTo(8);
        assertThat(all.get("model_call_p50").isNull()).isTrue();
        assertThat(exchange.exported("chat").get(0).has("timestamps")).isFalse();
        assertThat(exchange.exported("chat").get(0).get("finished_at").asString())
                .startsWith("2026-03-01T10:00:08");
    }

    /** The only cell below that title. */
    private static String column(Path table, String title) throws IOException {
        List<String> lines = Files.readAllLines(table);
        int at = List.of(lines.get(0).split(",", -1)).indexOf(title);
        return lines.get(1).split(",", -1)[at];
    }

    @Test
    void environment_isThatOfTheOption_whereTheLineNamesNone() throws IOException {
        write("{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n" + CHAT);
        exchange.run("import", "--environment", "mine", file().toString());
        assertThat(journal().runs()).extracting(run -> run.run().environment()).containsExactly("shop", "mine");
    }

    @Test
    void text_isRedacted() throws IOException {
        write(CHAT.replace("It is 7.", "It is hunter2-secret.").replace("\"lr\"", "\"hunter2-secret\""));
        Cli.with(
                Map.of("RLM_JSONL_DIR", exchange.journal().toString(), "MY_TOKEN", "hunter2-secret"),
                "import",
                file().toString());
        Path segment = journal().runs().get(0).folders().get(0);
        try (var files = Files.list(segment)) {
            for (Path path : files.filter(Files::isRegularFile).toList()) {
                assertThat(path).content().doesNotContain("hunter2-secret");
            }
        }
        assertThat(exchange.exported("chat").get(0).path("redacted").asBoolean())
                .isTrue();
    }

    @Test
    void badLine_stopsIt_andWhatCameBeforeStays() throws IOException {
        Cli stopped = importing(CHAT + "\n{\"messages\": 7}\n" + CHAT.replace("s-1", "s-2"));
        assertThat(stopped.exitCode()).isEqualTo(1);
        assertThat(stopped.out()).contains("imported 1 run\n", "bad      1 line\n");
        assertThat(stopped.err())
                .contains("chat.jsonl, line 2: expected \"messages\" to be a list", "--skip-bad-lines");
        Cli passed = exchange.run("import", "--skip-bad-lines", file().toString());
        assertThat(passed.exitCode()).isZero();
        assertThat(passed.out()).contains("imported 1 run\n", "left out 1 run known already, ", "bad      1 line\n");
        assertThat(passed.err()).startsWith("warning: passed over " + file() + ", line 2: expected ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "not json|a JSON object, found: ",
                "{} {}|one JSON object, found more behind it",
                "{\"reward\":1}|\"messages\", a list",
                "{\"messages\":[{\"content\":\"x\"}]}|a \"role\" such as system, user, assistant or tool in message 1",
                "{\"messages\":[{\"role\":\"user\",\"content\":7}]}|\"content\" to be a text or a list of parts in message 1",
                "{\"reward\":\"good\",\"messages\":[{\"role\":\"user\"}]}|\"reward\" to be a number",
                "{\"reward\":1e999,\"messages\":[{\"role\":\"user\"}]}|a number that is too large for a double",
                "{\"reward\":1%s,\"messages\":[{\"role\":\"user\"}]}|a number that is too large for a double",
                "{\"reward\":1,\"reward\":0,\"messages\":[{\"role\":\"user\"}]}|Duplicate Object property \"reward\"",
                "{\"outcome\":\"fine\",\"messages\":[{\"role\":\"user\"}]}|\"outcome\" to be one of completed, failed, aborted, abandoned",
                "{\"timestamps\":[1,2],\"messages\":[{\"role\":\"user\"}]}|one for each message, found 2 for 1",
                "{\"timestamps\":[\"noon\"],\"messages\":[{\"role\":\"user\"}]}|found noon",
                "{\"trial\":\"x\",\"messages\":[{\"role\":\"user\"}]}|\"trial\" to be a whole number",
            })
    void badLine_isToldWithWhatWasExpected(String words) throws IOException {
        String[] parts = words.split("\\|", -1);
        Cli bad = importing(parts[0].replace("%s", "0".repeat(400)));
        assertThat(bad.exitCode()).isEqualTo(1);
        assertThat(bad.err()).contains("rlm: " + file() + ", line 1: expected ").contains(parts[1]);
    }

    @Test
    void usageErrors_startNothing() throws IOException {
        write(CHAT);
        assertThat(exchange.run("import", folder.resolve("nope").toString()).err())
                .contains("expected a file or folder that can be read, found ", "nope (NoSuchFile");
        assertThat(exchange.run("import", "--format", "csv", file().toString()).err())
                .contains(
                        "expected --format to be one of chat, rlm-code, atif, inspect, sharegpt, swe-agent, found csv");
        Cli none = Cli.with(Map.of("RLM_OBS_ENABLED", "false"), "import", file().toString());
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("no sink is chosen to import to: ");
        assertThat(exchange.journal()).doesNotExist();
    }

    @Test
    void everySinkThatIsChosen_isGivenTheRuns() throws IOException {
        write(CHAT);
        Cli imported = exchange.run("import", file().toString(), "--sink", "jsonl", "--sink", KeptSinkProvider.NAME);
        assertThat(imported.exitCode()).as(imported.err()).isZero();
        assertThat(KeptSinkProvider.events(RunEvent.class))
                .isEqualTo(events(journal().runs().get(0)));
    }

    @Test
    void standardInput_isRead_alsoALongLine() throws Exception {
        String big = CHAT.replace("It is 7.", "x".repeat(3_000_000));
        Path in = Files.writeString(folder.resolve("in"), "\uFEFF" + big);
        try (InputStream stdin = Files.newInputStream(in)) {
            Cli imported = exchange.run(stdin, "import", "-");
            assertThat(imported.exitCode()).as(imported.err()).isZero();
            assertThat(imported.out()).startsWith("imported 1 run\n");
        }
        assertThat(journal().runs()).hasSize(1);
    }

    @Test
    void exportedRuns_importedElsewhere_areExportedTheSame() throws IOException {
        exchange.recordJob(10, 4);
        exchange.record(sinks -> {
            Events.full("full", "some text").forEach(sinks::publish);
            Events.minimal("minimal").forEach(sinks::publish);
        });
        write(CHAT);
        exchange.run("import", file().toString());
        Path first = folder.resolve("first.jsonl");
        assertThat(exchange.export("chat", first).exitCode()).isZero();

        Exchange other = new Exchange(folder.resolve("other"));
        Cli imported = other.run("import", first.toString());
        assertThat(imported.exitCode()).as(imported.err()).isZero();
        assertThat(imported.out()).startsWith("imported 43 runs\n");
        assertThat(other.export("chat", folder.resolve("second.jsonl")).exitCode())
                .isZero();

        assertThat(Files.readAllLines(folder.resolve("second.jsonl")))
                .containsExactlyInAnyOrderElementsOf(Files.readAllLines(first));
        assertThat(exchange.run("import", first.toString()).out()).contains("left out 43 runs known already");
    }

    @Test
    void runsInWhichTheAgentNeverSpoke_importedElsewhere_areExportedTheSame() throws IOException {
        exchange.record(sinks -> {
            try (Run run = sinks.startRun(RunSpec.builder("calc").runId("empty").build())) {
                run.complete("");
            }
            try (Run run = sinks.startRun(
                    RunSpec.builder("calc").runId("late").task("3 * 4?").build())) {
                try (Step step = run.startStep("3 * 4?")) {
                    step.fail("interrupted");
                }
                try (Step step = run.startStep("hurry")) {
                    step.fail("interrupted again");
                }
                run.fail(new IllegalStateException("too slow"));
            }
            try (Run run = sinks.startRun(
                    RunSpec.builder("calc").runId("told").task("3 * 4?").build())) {
                try (Step step = run.startStep("3 * 4?")) {
                    step.action("run_python", "print(3 * 4)");
                    step.complete("12");
                }
                try (Step step = run.startStep("and now?")) {
                    step.fail("interrupted");
                }
                run.fail(new IllegalStateException("too slow"));
            }
        });
        Path first = folder.resolve("first.jsonl");
        exchange.export("chat", first);
        assertThat(first).content().contains("\"messages\":[]").contains("interrupted again");

        Exchange other = new Exchange(folder.resolve("other"));
        Cli imported = other.run("import", first.toString());
        assertThat(imported.exitCode()).as(imported.err()).isZero();
        other.export("chat", folder.resolve("second.jsonl"));
        assertThat(Files.readAllLines(folder.resolve("second.jsonl")))
                .containsExactlyInAnyOrderElementsOf(Files.readAllLines(first));
    }

    @Test
    void recordThatIsTooLargeForTheHeap_isRefused_afterOthersAreImported() throws IOException {
        String good =
                "{\"messages\":[{\"role\":\"user\",\"content\":\"3 * 4?\"},{\"role\":\"assistant\",\"content\":\"12\"}]}\n";
        long values = Runtime.getRuntime().maxMemory() / 4 / 320; // a tree's part takes as much at the least
        Cli many = importing(good + "{\"messages\":[" + "{},".repeat((int) values) + "{}]}\n");
        assertThat(many.exitCode()).isEqualTo(1);
        assertThat(many.err())
                .contains("line 2: expected a record with fewer values, which take more than ")
                .contains("what was imported before it stays");
        assertThat(journal().runs()).hasSize(1);

        Path zero = Path.of("/dev/zero");
        assumeTrue(Files.exists(zero), "there is no /dev/zero here");
        Cli endless = exchange.run("import", zero.toString());
        assertThat(endless.exitCode()).isEqualTo(1);
        assertThat(endless.err()).contains("/dev/zero cannot be read: a record is longer than ");
    }

    private static RunEnded end(RunSummary run) {
        return Objects.requireNonNull(run.end());
    }

    private Cli importing(String lines) throws IOException {
        write(lines);
        return exchange.run("import", file().toString());
    }

    private void write(String lines) throws IOException {
        Files.writeString(file(), lines);
    }

    private Path file() {
        return folder.resolve("chat.jsonl");
    }

    private Journal journal() {
        return Journal.open(exchange.journal());
    }

    private static List<RunEvent> events(RunSummary run) {
        Path writer = run.folders().get(0);
        return Journal.open(writer).events(run.run().runId());
    }

    private static <T extends RunEvent> List<T> of(List<RunEvent> events, Class<T> kind) {
        assertThat(events.get(0)).isInstanceOf(RunStarted.class);
        assertThat(events.get(events.size() - 1)).isInstanceOf(RunEnded.class);
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}

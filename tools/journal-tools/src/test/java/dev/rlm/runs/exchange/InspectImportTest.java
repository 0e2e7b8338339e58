package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs that {@code rlm import --format inspect} makes of logs of Inspect. */
@Timeout(180)
class InspectImportTest {
    private static final String HEADER = """
            {"version": 2, "status": "success", "eval": {"eval_id": "e1", "run_id": "inv1", "task": "sums",
             "model": "openai/m", "created": "2026-03-01T10:00:00+00:00", "task_args": {"level": 3},
             "dataset": {"name": "d", "sample_ids": ["a", "b"]}, "revision": {"commit": "abc"}, "config": {}},
             "plan": {"name": "plan"}, "results": {"total_samples": 2}""";

    private static final String SAMPLE = """
            {"id": "a", "epoch": 2, "uuid": "u-a", "input": "3 + 4?", "target": "7", "choices": ["7", "8"],
             "messages": [
              {"id": "m1", "role": "system", "content": "Be brief."},
              {"id": "m2", "role": "user", "source": "input", "content": [
                {"type": "text", "text": "3 + 4?"}, {"type": "image", "image": "https://x.test/1.png"}]},
              {"id": "m3", "role": "assistant", "source": "generate", "model": "m", "content": [
                {"type": "reasoning", "reasoning": "I add."}, {"type": "text", "text": "attachment://long"}],
               "tool_calls": [{"id": "c1", "type": "function", "function": "add", "arguments": {"x": 3}}]},
              {"id": "m4", "role": "tool", "function": "add", "tool_call_id": "c1", "content": "",
               "error": {"type": "timeout", "message": "too slow"}},
              {"id": "m5", "role": "assistant", "content": "It is 7."}],
             "output": {"model": "m", "completion": "It is 7."},
             "scores": {
              "match": {"value": "C", "answer": "7", "explanation": "equal"},
              "length": {"value": 0.25},
              "style": {"value": {"brevity": 0.5, "tone": "P", "kind": "plain"}},
              "grade": {"value": "fine", "explanation": "well said"}},
             "metadata": {"level": 1},
             "events": [
              {"event": "span_begin", "timestamp": "2026-03-01T10:00:00Z"},
              {"event": "model", "model": "openai/m", "timestamp": "2026-03-01T10:00:01Z",
               "completed": "2026-03-01T10:00:03Z", "retries": 1, "config": {"temperature": 0.5, "seed": null},
               "tools": [{"name": "add", "parameters": {"type": "object"}}],
               "output": {"model": "m-2026", "choices": [{"message": {"id": "m3"}, "stop_reason": "tool_calls"}],
                "usage": {"input_tokens": 10, "input_tokens_cache_read": 5, "input_tokens_cache_write": 1,
                 "output_tokens": 4, "reasoning_tokens": 2, "total_tokens": 20, "total_cost": 0.5}}},
              {"event": "tool", "id": "c1", "function": "add", "completed": "2026-03-01T10:00:05Z"},
              {"event": "info", "data": "by the way"},
              {"event": "model", "model": "judge", "completed": "2026-03-01T10:00:09Z",
               "output": {"choices": [{"message": {"id": "j1"}}]}}],
             "attachments": {"long": "I will add."}, "store": {},
             "started_at": "2026-03-01T10:00:00Z", "completed_at": "2026-03-01T10:00:10Z"}
            """;

    @TempDir
    private Path folder;

    private Imports imports;

    @BeforeEach
    void chooseJournal() {
        imports = new Imports(folder, "inspect");
    }

    private static Path made(String name) throws Exception {
        return Path.of(Objects.requireNonNull(InspectImportTest.class.getResource(name))
                .toURI());
    }

    private static String log(String... samples) {
        return HEADER + ", \"samples\": [" + String.join(",", samples) + "]}";
    }

    @Test
    void logOfTheRealProgram_isRead() throws Exception {
        Cli imported = imports.whole(made("inspect-0.3.285.eval")); // made by that version, with its mock model

        assertThat(imported.out()).startsWith("imported 6 runs\n");
        assertThat(imported.err().lines())
                .containsExactlyInAnyOrder(
                        "warning: \"messages[].content[].image\" is not known and was not taken over, in 2 lines",
                        "warning: \"events[].logger\" is not known and was not taken over, in 2 lines");
        assertThat(imports.runs())
                .extracting(run -> run.run().correlation().sample()
                        + run.run().correlation().trajectoryIndex()
                        + run.state())
                .containsExactlyInAnyOrder(
                        "sum0COMPLETED",
                        "sum1COMPLETED",
                        "picture0COMPLETED",
                        "picture1COMPLETED",
                        "broken0FAILED",
                        "broken1FAILED");
        RunSummary sum = imports.sample("sum");
        assertThat(imports.events(sum, ToolCalled.class))
                .extracting(call -> call.tool() + call.arguments() + call.result())
                .containsExactly("add{\"x\":3,\"y\":4}7");
        assertThat(imports.end(sum).metrics())
                .containsEntry("style/brevity", 0.5)
                .containsEntry("style/tone", 1.0);
        RunSummary picture = imports.sample("picture");
        assertThat(imports.end(picture).truncated()).isTrue();
        assertThat(imports.end(picture).terminationReason()).isEqualTo("message_limit");
        assertThat(Objects.requireNonNull(imports.sample("broken").end())
                        .status()
                        .message())
                .contains("the sandbox is gone");
        assertThat(imports.report().get("runs").asInt()).isEqualTo(6);
        assertThat(imports.report().get("solved").asInt()).isEqualTo(2);
        assertThat(imports.report().get("input_tokens").asLong()).isEqualTo(2 * (86 + 1612));
    }

    @Test
    void logWhoseSamplesAreInParts_hasTheSameRuns() throws Exception {
        imports.whole(made("inspect-0.3.285.eval"));
        Imports parts = new Imports(Files.createDirectory(folder.resolve("parts")), "inspect");
        parts.whole(made("inspect-0.3.285-parts.eval"));

        assertThat(parts.exchange().exported("chat"))
                .containsExactlyInAnyOrderElementsOf(imports.exchange().exported("chat"));
        assertThat(imports.whole(made("inspect-0.3.285-parts.eval")).out())
                .contains("imported 0 runs\n", "left out 6 runs known already");
    }

    @Test
    void runs_areTheSame_behindExportAsTrajectoriesAndImport() throws Exception {
        imports.whole(made("inspect-0.3.285.eval"));
        imports.whole(imports.write("log.json", log(SAMPLE)));
        Path out = folder.resolve("trajectories");
        assertThat(imports.exchange().export("atif", out).exitCode()).isZero();
        Imports other = new Imports(folder, "atif");

        assertThat(other.whole(out).out()).startsWith("imported 7 runs\n");

        assertThat(other.report()).isEqualTo(imports.report());
        assertThat(other.exchange().exported("chat"))
                .containsExactlyInAnyOrderElementsOf(imports.exchange().exported("chat"));
    }

    @Test
    void sample_isARun() throws IOException {
        Cli imported = imports.whole(imports.write("log.json", log(SAMPLE)));

        assertThat(imported.err().lines())
                .containsExactly(
                        "warning: \"events[].info\" is not known and was not taken over, in 1 line",
                        "warning: \"events[].model of no message\" is not known and was not taken over, in 1 line");
        RunSummary run = imports.sample("a");
        assertThat(run.run().runId()).isEqualTo("u-a");
        assertThat(run.run().correlation().trajectoryIndex()).isEqualTo(1);
        assertThat(run.run().correlation().invocation()).isEqualTo("inv1");
        assertThat(run.run().correlation().codeVersion()).isEqualTo("abc");
        assertThat(run.run().environment()).isEqualTo("sums");
        assertThat(run.run().model()).isEqualTo("openai/m");
        assertThat(run.run().tags()).isEmpty();
        assertThat(run.run().startedAt()).isEqualTo(Instant.parse("2026-03-01T10:00:00Z"));
        assertThat(run.duration()).isEqualTo(Duration.ofSeconds(10));
        assertThat(imports.start(run).run().task()).hasToString("3 + 4?");
        assertThat(imports.start(run).run().expectedAnswer()).hasToString("7");
        assertThat(imports.end(run).finalAnswer()).hasToString("It is 7.");
        assertThat(imports.end(run).metrics()).isEqualTo(Map.of("style/brevity", 0.5, "style/tone", 0.5));
        assertThat(run.run().params()).containsEntry("level", 1);
        assertThat(String.valueOf(run.run().params().get("inspect")))
                .contains("choices=[7, 8]", "eval_id=e1", "level=3", "kind=plain", "well said", "answer=7")
                .doesNotContain("sample_ids", "total_samples");
    }

    @Test
    void scores_areRewardsByTheirScorers() throws IOException {
        imports.whole(imports.write(
                "log.json",
                log(
                        SAMPLE,
                        sample("b", "\"scores\": {\"match\": {\"value\": NaN}}"),
                        sample("c", "\"score\": {\"value\": \"I\"}"))));

        List<RewardGiven> rewards = imports.events(imports.sample("a"), RewardGiven.class);
        assertThat(rewards).extracting(RewardGiven::source).containsExactly("match", "length");
        assertThat(rewards).extracting(RewardGiven::value).containsExactly(1.0, 0.25);
        assertThat(rewards.get(0).label()).isEqualTo("C");
        assertThat(rewards.get(0).explanation()).hasToString("equal");
        assertThat(imports.sample("a").isSolved()).isTrue();
        assertThat(imports.events(imports.sample("b"), RewardGiven.class).get(0).isAbsent())
                .isTrue();
        assertThat(imports.sample("c").isSolved()).isFalse();
        assertThat(imports.events(imports.sample("c"), RewardGiven.class).get(0).value())
                .isZero();
    }

    @Test
    void calls_haveTimesTokensAndCosts() throws IOException {
        imports.whole(imports.write("log.json", log(SAMPLE)));

        RunSummary run = imports.sample("a");
        List<ModelCalled> calls = imports.events(run, ModelCalled.class);
        assertThat(calls).hasSize(2);
        ModelCalled call = calls.get(0);
        assertThat(call.model()).isEqualTo("openai/m");
        assertThat(call.responseModel()).isEqualTo("m-2026");
        assertThat(call.usage().inputTokens()).isEqualTo(16);
        assertThat(call.usage().cachedTokens()).isEqualTo(5);
        assertThat(call.usage().cacheCreationTokens()).isEqualTo(1);
        assertThat(call.usage().outputTokens()).isEqualTo(4);
        assertThat(call.usage().reasoningTokens()).isEqualTo(2);
        assertThat(call.costAmount()).isEqualTo(0.5);
        assertThat(call.finishReason()).isEqualTo("tool_calls");
        assertThat(call.retries()).isEqualTo(1);
        assertThat(call.parameters()).isEqualTo(Map.of("temperature", 0.5));
        assertThat(call.toolDefinitions()).hasToString("[{\"name\":\"add\",\"parameters\":{\"type\":\"object\"}}]");
        assertThat(call.duration()).isEqualTo(Duration.ofSeconds(2));
        assertThat(call.messages()).extracting(Message::role).containsExactly("system", "user");
        assertThat(call.messages().get(1).parts())
                .extracting(MessagePart::type)
                .containsExactly(MessagePart.Type.TEXT, MessagePart.Type.IMAGE);
        assertThat(Objects.requireNonNull(call.reply()).content()).hasToString("I will add.");
        assertThat(call.reply().parts().get(0).text()).hasToString("I add.");
        ToolCalled tool = imports.events(run, ToolCalled.class).get(0);
        assertThat(tool.tool()).isEqualTo("add");
        assertThat(tool.arguments()).hasToString("{\"x\":3}");
        assertThat(tool.error()).hasToString("too slow");
        assertThat(tool.duration()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void repliesWithoutIds_areFoundByWhatTheySay() throws IOException {
        String event = "{\"event\": \"model\", \"model\": \"m\", \"output\": {\"choices\": [{\"message\": {\"role\":"
                + " \"assistant\", \"content\": \"%s\"}}], \"usage\": {\"input_tokens\": %d, \"output_tokens\": 1}}}";
        Cli imported = imports.whole(imports.write(
                "log.json",
                log(sample("o", "\"events\": [" + event.formatted("?", 5) + "," + event.formatted("!", 3) + "]"))));

        assertThat(imported.err())
                .contains("\"events[].model of no message\" is not known")
                .hasLineCount(1);
        assertThat(imports.events(imports.sample("o"), ModelCalled.class))
                .extracting(call -> call.usage().inputTokens())
                .containsExactly(3L);
    }

    @ParameterizedTest
    @CsvSource({
        "'\"input_tokens\": 1500, \"output_tokens\": 20, \"total_tokens\": 1520, \"input_tokens_cache_read\": 1024', 1500",
        "'\"input_tokens\": 1500, \"output_tokens\": 20, \"total_tokens\": 1520, \"input_tokens_cache_write\": 300', 1500",
        "'\"input_tokens\": 476, \"output_tokens\": 20, \"total_tokens\": 1520, \"input_tokens_cache_read\": 1024', 1500",
        "'\"input_tokens\": 4, \"output_tokens\": 20, \"total_tokens\": 24, \"input_tokens_cache_read\": 1496', 1500",
        "'\"input_tokens\": 476, \"input_tokens_cache_read\": 1024', 1500",
    })
    void cachedTokens_areCountedOnce_whetherTheVersionCountedThemInOrBeside(String usage, long input)
            throws IOException {
        imports.whole(
                imports.write("log.json", log(sample("t", called("\"completed\": \"2026-03-01T10:00:03Z\"", usage)))));

        assertThat(imports.events(imports.sample("t"), ModelCalled.class))
                .extracting(call -> call.usage().inputTokens())
                .containsExactly(input);
    }

    /** The event of the call that gave the reply of a {@link #sample}. */
    private static String called(String times, String usage) {
        return "\"events\": [{\"event\": \"model\", \"model\": \"m\", " + times
                + ", \"output\": {\"choices\": [{\"message\": {\"role\": \"assistant\", \"content\": \"!\"}}],"
                + " \"usage\": {" + usage + "}}}]";
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // start, end and total of the sample; start and end of its call; start, length and mark of the run,
                // length of the call
                "-, -, 2.5, 10:00:10, 10:00:12.5, 10:00:10, PT2.5S, -, PT2.5S",
                "-, -, 67, 10:00:10, 10:00:12.5, 10:00:10, PT1M7S, -, PT2.5S",
                "-, -, -, 10:00:10, 10:00:12.5, 10:00:10, PT2.5S, -, PT2.5S",
                "-, -, -, 10:00:10, -, 10:00:10, PT0S, -, PT0S",
                "10:00:01, 10:00:20, 2, 10:00:10, 10:00:12.5, 10:00:01, PT19S, -, PT2.5S",
                "-, -, 67, -, -, 10:00:00, PT1M7S, made_up_within, -",
                "-, -, -, -, -, 10:00:00, -, made_up, -",
            })
    void times_areThoseOfTheSample_elseOfItsEvents_elseOfTheEvaluation(
            @Nullable String started,
            @Nullable String completed,
            @Nullable String seconds,
            @Nullable String asked,
            @Nullable String answered,
            String start,
            @Nullable Duration length,
            @Nullable String mark,
            @Nullable Duration call)
            throws IOException {
        String times = "\"started_at\": " + time(started) + ", \"completed_at\": " + time(completed)
                + ", \"total_time\": " + seconds + ", ";
        String event = called("\"timestamp\": " + time(asked) + ", \"completed\": " + time(answered), "");

        imports.whole(imports.write("log.json", log(sample("d", times + event))));

        RunSummary run = imports.sample("d");
        assertThat(run.run().startedAt()).isEqualTo(Instant.parse("2026-03-01T" + start + "Z"));
        assertThat(run.duration()).isEqualTo(length);
        assertThat(run.run().tags().get("import.times")).isEqualTo(mark);
        if (call != null) {
            assertThat(imports.events(run, ModelCalled.class))
                    .extracting(ModelCalled::duration)
                    .containsExactly(call);
        }
    }

    private static @Nullable String time(@Nullable String of) {
        return of == null ? null : "\"2026-03-01T" + of + "Z\"";
    }

    @Test
    void errorsAndLimits_areTheEnds() throws IOException {
        imports.whole(imports.write(
                "log.json",
                log(
                        sample("e", "\"error\": {\"message\": \"boom\", \"traceback\": \"at line 3\"}"),
                        sample("l", "\"limit\": {\"type\": \"token\", \"limit\": 100}"))));

        RunSummary failed = imports.sample("e");
        assertThat(failed.state()).isEqualTo(RunState.FAILED);
        assertThat(imports.end(failed).status().message()).isEqualTo("boom");
        assertThat(failed.run().params().toString()).contains("at line 3");
        assertThat(failed.run().tags()).containsEntry("import.times", "made_up");
        RunSummary limited = imports.sample("l");
        assertThat(limited.state()).isEqualTo(RunState.COMPLETED);
        assertThat(imports.end(limited).truncated()).isTrue();
        assertThat(imports.end(limited).terminationReason()).isEqualTo("token_limit");
        assertThat(imports.report().get("runs").asInt()).isEqualTo(2);
    }

    @Test
    void sampleWithoutAnId_isImportedOnce() throws IOException {
        Path log = imports.write("log.json", log(sample("x", "\"store\": {}")));
        imports.whole(log);
        assertThat(imports.runs().get(0).run().runId()).startsWith("inspect-");
        assertThat(imports.whole(log).out()).contains("imported 0 runs\n", "left out 1 run known already");
    }

    private static String sample(String id, String rest) {
        return "{\"id\": \"" + id + "\", \"epoch\": 1, \"input\": \"?\", \"target\": [],"
                + " \"messages\": [{\"role\": \"user\", \"content\": \"?\"}, {\"role\": \"assistant\", \"content\": \"!\"}], "
                + rest + "}";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"samples\": []}|\"eval\", an object that tells of the evaluation",
                "{\"eval\": 7}|\"eval\" to be a JSON object",
                "{\"eval\": {}, \"samples\": {}}|\"samples\" to be a list",
                "{\"eval\": {}, \"samples\": [7]}|all of \"samples\" to be a JSON object",
                "{\"eval\": {}, \"samples\": [{\"id\": 1}]}|an \"id\" and an \"epoch\" in samples[0]",
                "{\"eval\": {}, \"samples\": [{\"id\": 1, \"epoch\": \"x\"}]}|\"epoch\" to be a whole number in samples[0]",
                "{\"eval\": {}, \"samples\": [{\"id\": 1, \"epoch\": 1, \"messages\": [{\"role\": 1}, 2]}]}|to be a JSON object",
                "{\"eval\": {}, \"samples\": [{\"id\": 1, \"epoch\": 1, \"messages\": [{\"tool_calls\": 2}]}]}|list in messages[0]",
                "{\"eval\": {}, \"samples\": [{\"id\": 1, \"epoch\": 1, \"scores\": {\"s\": 1}}]}|\"s\" to be a JSON object",
                "{\"eval\": {}, \"samples\": [{\"id\": 1, \"epoch\": 1, \"events\": [1]}]}|all of \"events\" to be a JSON object",
            })
    void badLog_isToldWithWhatWasExpected(String words) throws IOException {
        String[] parts = words.split("\\|", -1);
        assertThat(imports.refused("log.json", parts[0]))
                .contains("rlm: " + folder.resolve("log.json"))
                .contains(": expected ")
                .contains(parts[1]);
    }

    @Test
    void deepValues_areAnError() throws IOException {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);
        assertThat(imports.refused("log.json", log(sample("d", "\"metadata\": {\"deep\": " + deep + "}"))))
                .contains("log.json", "expected a JSON object, found: Document nesting depth");
    }

    @Test
    void archiveThatWasCutOff_isBad_whereverItEnds() throws Exception {
        byte[] whole = Files.readAllBytes(made("inspect-0.3.285.eval"));
        for (int length : List.of(4, 100, whole.length / 2, whole.length - 23, whole.length - 1)) {
            Path cut = folder.resolve("cut.eval");
            Files.write(cut, Arrays.copyOf(whole, length));
            Cli imported = imports.run(cut);
            assertThat(imported.exitCode()).as("%d", length).isEqualTo(1);
            assertThat(imported.err())
                    .contains("cut.eval: expected a zip archive that can be read, found: no directory at its end");
        }
        assertThat(imports.run(folder.resolve("cut.eval"), "--skip-bad-lines").exitCode())
                .isZero();
    }

    @Test
    void damagedEntry_isBad_andTheOthersAreRead() throws Exception {
        byte[] bytes = Files.readAllBytes(made("inspect-0.3.285.eval"));
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("samples/sum_epoch_1.json");
        for (int i = 200; i < 260; i++) {
            bytes[at + i] = 0;
        }
        Cli imported = imports.run(Files.write(folder.resolve("log.eval"), bytes), "--skip-bad-lines");
        assertThat(imported.out()).contains("imported 5 runs\n", "bad      1 line\n");
        assertThat(imported.err()).contains("log.eval, samples/sum_epoch_1.json: expected an entry that can be read");
    }

    @Test
    void deflatedAndStoredEntries_areRead_andOthersTold() throws IOException {
        Path log = archive(Map.of("_journal/start.json", HEADER + "}", "samples/a_epoch_2.json", SAMPLE));
        assertThat(imports.whole(log).out()).startsWith("imported 1 run\n");

        patch(log, "samples/a_epoch_2.json", 10, 14);
        Cli other = imports.run(log);
        assertThat(other.exitCode()).isEqualTo(1);
        assertThat(other.err())
                .contains(
                        "log.eval, samples/a_epoch_2.json: expected an entry that can be read, found: compression method"
                                + " 14; stored (0), deflate (8) and zstd (93) can be read");
    }

    @Test
    void entryThatIsTooLong_isRefused_whateverItsLengthIsSaidToBe() throws IOException {
        Path log = archive(Map.of("header.json", HEADER + "}", "samples/a_epoch_1.json", " ".repeat(20_000_000)));
        patch(log, "samples/a_epoch_1.json", 24, 1_000);
        assertThat(imports.run(log).err()).contains("damaged: its length or checksum is another");
        patch(log, "samples/a_epoch_1.json", 24, 0xfffffff0);
        assertThat(imports.run(log).err()).contains("4294967280 bytes, more than the ", "that the memory allows");
    }

    @Test
    void archiveThatIsNoLog_isBad() throws IOException {
        assertThat(imports.run(archive(Map.of("a.txt", "hello"))).err())
                .contains(
                        "expected a zip archive that can be read, found: no entry header.json or _journal/start.json");
    }

    @Test
    void folder_isReadWithItsFolders() throws Exception {
        Path logs = Files.createDirectories(folder.resolve("logs/a/b"));
        Files.copy(made("inspect-0.3.285.eval"), logs.resolve("one.eval"));
        assertThat(imports.whole(folder.resolve("logs")).out()).startsWith("imported 6 runs\n");
    }

    private Path archive(Map<String, String> entries) throws IOException {
        Path file = folder.resolve("log.eval");
        try (OutputStream out = Files.newOutputStream(file);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Map.Entry<String, String> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        }
        return file;
    }

    /** Sets a number in the directory's record of an entry. */
    private static void patch(Path file, String entry, int field, int value) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int name = new String(bytes, StandardCharsets.ISO_8859_1).lastIndexOf(entry);
        ByteBuffer record = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (field == 10) {
            record.putShort(name - 46 + field, (short) value);
        } else {
            record.putInt(name - 46 + field, value);
        }
        Files.write(file, bytes);
    }
}

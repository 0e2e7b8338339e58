package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

class JsonlSinkTest {
    private static final List<RunEvent> EVENTS = SampleEvents.rich("run", "text");

    @TempDir
    Path directory;

    @Test
    void folder_isNamedByItsStart_andMadeAtTheFirstEvent() throws IOException {
        Path journal = directory.resolve("new/journal");
        InstantSource clock = () -> Instant.parse("2026-03-01T10:20:30.4Z");
        JsonlSink sink = JsonlSink.builder().directory(journal).clock(clock).build();
        Path folder = Path.of(sink.location("any").orElseThrow());
        assertThat(folder.getFileName().toString()).matches("20260301T102030Z-[0-9a-f]{8}");
        assertThat(folder.getParent()).isEqualTo(journal);
        assertThat(directory.resolve("new")).doesNotExist();
        sink.onEvent(EVENTS.get(0));
        sink.onBatchEnd();
        assertThat(names(folder)).containsExactlyInAnyOrder("lock", "events-1.jsonl", "runs.jsonl");
        sink.close();
    }

    @Test
    void sink_withoutEvents_leavesNothing() {
        Path journal = directory.resolve("journal");
        try (JsonlSink sink = JsonlSink.builder().directory(journal).build()) {
            sink.onBatchEnd();
            assertThat(sink.flush(Duration.ZERO)).isTrue();
        }
        assertThat(journal).doesNotExist();
    }

    @Test
    void files_areTheirOwnersAlone() throws IOException {
        assumeTrue(directory.getFileSystem().supportedFileAttributeViews().contains("posix"));
        Path journal = directory.resolve("journal");
        Path folder = record(journal, Fsync.BATCH);
        for (Path made : List.of(journal, folder)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                    .isEqualTo("rwx------");
        }
        for (String file : names(folder)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(file))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void firstLine_namesSchemaAndVersion_andEveryLineItsType() throws IOException {
        List<String> lines = Files.readAllLines(record(directory, Fsync.BATCH).resolve("events-1.jsonl"));
        assertThat(lines.get(0)).isEqualTo("{\"type\":\"journal\",\"schema\":\"rlm.journal\",\"version\":2}");
        assertThat(lines).hasSize(EVENTS.size() + 1).allSatisfy(line -> {
            assertThat(line).startsWith("{\"type\":\"");
            assertThat(topLevel(line)).isNotEmpty();
        });
    }

    @Test
    void lines_tellTimeToTheNanosecond_andOddNumbersAsStrings() throws IOException {
        String reward = Files.readAllLines(record(directory, Fsync.BATCH).resolve("events-1.jsonl"))
                .get(6);
        assertThat(reward)
                .contains(
                        "\"type\":\"reward_given\",\"run_id\":\"run\",\"seq\":6,",
                        "\"time\":\"2026-03-01T10:20:30.000000077Z\",\"nanos\":70",
                        "\"value\":\"-Infinity\"",
                        "\"value\":\"NaN\",\"weight\":0.5")
                .doesNotContain("null");
    }

    @Test
    void runs_areSummedUpInALine() throws IOException {
        List<String> lines = Files.readAllLines(record(directory, Fsync.BATCH).resolve("runs.jsonl"));
        assertThat(lines).hasSize(1);
        Map<String, String> fields = topLevel(lines.get(0));
        assertThat(fields.keySet())
                .containsSequence(
                        "timestamp",
                        "run_id",
                        "started_at",
                        "finished_at",
                        "task",
                        "environment",
                        "params",
                        "completed",
                        "steps",
                        "step_count_observed",
                        "total_reward",
                        "run_path")
                .contains("outcome", "solved", "status", "trainer_run_id", "sample_id", "rollout_id");
        assertThat(fields)
                .containsEntry("started_at", "2026-03-01T10:20:30.000000007Z")
                .containsEntry("finished_at", "2026-03-01T10:20:30.000000137Z")
                .containsEntry("completed", "false")
                .containsEntry("outcome", "failed")
                .containsEntry("steps", "2")
                .containsEntry("step_count_observed", "2")
                .containsEntry("run_path", "/somewhere");
    }

    @Test
    void agentAndExpectedAnswer_areInTheSummary() throws IOException {
        Path folder;
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            Events.full("run").stream()
                    .filter(RunEvent.class::isInstance)
                    .map(RunEvent.class::cast)
                    .forEach(sink::onEvent);
            sink.onBatchEnd();
            folder = Path.of(sink.location("run").orElseThrow());
        }
        assertThat(topLevel(Files.readString(folder.resolve("runs.jsonl"))))
                .containsEntry("agent", "an-agent")
                .containsEntry("agent_version", "1.4.0")
                .containsKey("expected_answer");
    }

    // ---- what counts as delivered

    @Test
    void batch_isAcknowledged_whenSynced() {
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            EVENTS.forEach(sink::onEvent);
            assertThat(sink.acknowledged().delivered()).isZero();
            sink.onBatchEnd();
            assertThat(sink.acknowledged().delivered()).isEqualTo(EVENTS.size());
        }
    }

    @Test
    void run_isAcknowledged_atItsEndOrAtAFlush() {
        try (JsonlSink sink =
                JsonlSink.builder().directory(directory).fsync(Fsync.RUN).build()) {
            EVENTS.subList(0, 3).forEach(sink::onEvent);
            sink.onBatchEnd();
            assertThat(sink.acknowledged().delivered()).isZero();
            assertThat(Journal.open(directory).events("run")).hasSize(3);
            EVENTS.subList(3, EVENTS.size()).forEach(sink::onEvent);
            sink.onBatchEnd();
            assertThat(sink.acknowledged().delivered()).isEqualTo(EVENTS.size());
            sink.onEvent(SampleEvents.bare("other").get(0));
            sink.onBatchEnd();
            assertThat(sink.acknowledged().delivered()).isEqualTo(EVENTS.size());
            assertThat(sink.flush(Duration.ofSeconds(1))).isTrue();
            assertThat(sink.acknowledged().delivered()).isEqualTo(EVENTS.size() + 1);
        }
    }

    @Test
    void unsynced_isAcknowledged_whenWritten() {
        try (JsonlSink sink =
                JsonlSink.builder().directory(directory).fsync(Fsync.NEVER).build()) {
            EVENTS.subList(0, 3).forEach(sink::onEvent);
            sink.onBatchEnd();
            assertThat(sink.acknowledged().delivered()).isEqualTo(3);
            assertThat(Journal.open(directory).events("run")).hasSize(3);
        }
    }

    @Test
    void largeBatch_isWrittenOnTheWay_butNotAcknowledged() throws IOException {
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            List<RunEvent> large = SampleEvents.rich("run", "x".repeat(1 << 18));
            large.forEach(sink::onEvent);
            Path file = Path.of(sink.location("run").orElseThrow()).resolve("events-1.jsonl");
            assertThat(Files.size(file)).isGreaterThan(1 << 20);
            assertThat(sink.acknowledged().delivered()).isZero();
        }
        assertThat(Journal.open(directory).events("run")).hasSize(EVENTS.size());
    }

    // ---- in a hub

    @Test
    void run_throughAHub_isWhollyThere_andNamesItsFolder() {
        Sinks sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(directory).build())
                .build();
        try (Run run =
                sinks.startRun(RunSpec.builder("calc").runId("run").task("3+4").build())) {
            try (Step step = run.startStep()) {
                step.action("calculate", "3+4");
                step.reward(-0.5);
                step.complete("7");
            }
            run.complete("7");
        }
        assertThat(sinks.flush(Duration.ofSeconds(20)).isComplete()).isTrue();
        sinks.close();
        SinkStatus status = sinks.statuses().get(0);
        Ledger ledger = status.ledger();
        assertThat(ledger.delivered()).isEqualTo(ledger.offered()).isEqualTo(5 + 1); // the ledger, told at the flush
        RunSummary run = Journal.open(directory).run("run");
        assertThat(run.state()).isEqualTo(RunState.COMPLETED);
        assertThat(run.end()).satisfies(end -> {
            assertThat(end.seq()).isEqualTo(5);
            assertThat(end.runPath()).isEqualTo(run.folders().get(0).toString());
        });
    }

    @Test
    void secrets_neverReachAFile() throws IOException {
        String secret = "s3cret-value-of-a-key";
        String text = "before " + secret + " after";
        try (Sinks sinks = Sinks.builder()
                        .add("jsonl", JsonlSink.builder().directory(directory).build())
                        .secret(secret)
                        .build();
                Run run = sinks.startRun(RunSpec.builder("calc")
                        .task(text)
                        .param("p", List.of(text))
                        .tag("t", text)
                        .build());
                Step step = run.startStep(text)) {
            step.action("x", text);
            try (ToolCall tool = step.startToolCall("tool")) {
                tool.arguments(text).fail(2, text);
            }
            step.rewardAbsent("judge", text);
            step.fail(text, text);
            run.fail(2, new IllegalStateException(text));
        }
        for (String content : contents(directory)) {
            assertThat(content).doesNotContain(secret);
        }
        assertThat(String.join("", contents(directory))).contains("before [REDACTED:registered:");
    }

    // ---- configuration

    @Test
    void provider_makesTheSink_fromItsVariables() {
        JsonlSinkProvider provider = new JsonlSinkProvider();
        Sink sink = provider.create(
                SinkConfig.of(Map.of("RLM_JSONL_DIR", directory.resolve("x").toString(), "RLM_JSONL_FSYNC", "Never"))
                        .sink("jsonl"));
        assertThat(sink.isDurable()).isTrue();
        assertThat(sink.status().detail()).isEqualTo(directory.resolve("x").toString());
        assertThat(provider.isEnabledByDefault()).isTrue();
        assertThat(provider.variables())
                .extracting("name", "defaultValue")
                .containsExactly(
                        tuple("RLM_JSONL_DIR", ".rlm"),
                        tuple("RLM_JSONL_FSYNC", "batch"),
                        tuple("RLM_JSONL_ROTATE_SIZE", "64MB"),
                        tuple("RLM_JSONL_ROTATE_AGE", "1d"),
                        tuple("RLM_JSONL_COMPRESS", "true"),
                        tuple("RLM_JSONL_KEEP_AGE", ""),
                        tuple("RLM_JSONL_KEEP_SIZE", ""));
    }

    @Test
    void provider_isFound_andRefusesAnUnknownWord() {
        SinkConfig config =
                SinkConfig.of(Map.of("RLM_JSONL_DIR", directory.toString(), "RLM_JSONL_FSYNC", "sometimes"));
        assertThatThrownBy(() -> Sinks.builder().config(config).build())
                .isInstanceOf(SinkConfigException.class)
                .hasMessage("RLM_JSONL_FSYNC=sometimes is not valid: expected one of batch, run, never");
    }

    @ParameterizedTest
    @CsvSource({
        "RLM_JSONL_ROTATE_SIZE, 64 furlongs, 'a size such as 500KB, 64MB or 1GiB, or 0'",
        "RLM_JSONL_ROTATE_SIZE, 1KB, 'at least 100KB, or 0 for never'",
        "RLM_JSONL_ROTATE_AGE, tomorrow, 'a time such as 90s, 30m, 12h or 7d, or 0'",
        "RLM_JSONL_COMPRESS, maybe, 'true or false (or 1, yes, on, 0, no, off)'",
        "RLM_JSONL_KEEP_AGE, 30, 'a time such as 90s, 30m, 12h or 7d, or 0'",
        "RLM_JSONL_KEEP_SIZE, -1GB, 'a size such as 500KB, 64MB or 1GiB, or 0'",
    })
    void provider_refuses_whatItCannotUse(String variable, String value, String expected) {
        SinkConfig config = SinkConfig.of(Map.of("RLM_JSONL_DIR", directory.toString(), variable, value))
                .sink("jsonl");
        assertThatThrownBy(() -> new JsonlSinkProvider().create(config))
                .isInstanceOf(SinkConfigException.class)
                .hasMessage(variable + "=" + value + " is not valid: expected " + expected);
    }

    @Test
    void folder_thatIsAFile_isRefused() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        for (Path folder : List.of(file, file.resolve("below"))) {
            assertThatThrownBy(() -> JsonlSink.builder().directory(folder).build())
                    .isInstanceOf(SinkConfigException.class)
                    .hasMessage("the journal folder " + folder + " (RLM_JSONL_DIR) cannot be used: " + file
                            + " is not a folder");
        }
    }

    @Test
    void folder_thatIsNotWritable_isRefused() throws IOException {
        Path locked = notWritable();
        assertThatThrownBy(() ->
                        JsonlSink.builder().directory(locked.resolve("below")).build())
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining(locked + " is not writable");
    }

    /** A folder that nobody may write to, or for root, who may, one that takes no files. */
    private Path notWritable() throws IOException {
        Path locked = Files.createDirectory(directory.resolve("locked"));
        Path kernels = Path.of("/proc");
        boolean isLocked = locked.toFile().setWritable(false) && !Files.isWritable(locked);
        assumeTrue(isLocked || Files.isDirectory(kernels), "root may write anywhere here");
        return isLocked ? locked : kernels;
    }

    @Test
    void close_again_doesNothing() {
        JsonlSink sink = JsonlSink.builder().directory(directory).build();
        EVENTS.forEach(sink::onEvent);
        sink.close();
        assertThatCode(sink::close).doesNotThrowAnyException();
        assertThat(sink.acknowledged().delivered()).isEqualTo(EVENTS.size());
    }

    private static Path record(Path journal, Fsync fsync) {
        try (JsonlSink sink =
                JsonlSink.builder().directory(journal).fsync(fsync).build()) {
            EVENTS.forEach(sink::onEvent);
            sink.onBatchEnd();
            return Path.of(sink.location("run").orElseThrow());
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static List<String> contents(Path folder) throws IOException {
        List<String> contents = new ArrayList<>();
        try (var files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.add(Files.readString(file));
            }
        }
        return contents;
    }

    /** The fields of a line by the plain parser, those that are objects or lists as an empty text. */
    private static Map<String, String> topLevel(String line) {
        Map<String, String> fields = new LinkedHashMap<>();
        try (JsonParser json = new JsonFactory().createParser(ObjectReadContext.empty(), line)) {
            assertThat(json.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                boolean scalar = json.nextToken().isScalarValue();
                fields.put(name, scalar ? json.getString() : "");
                json.skipChildren();
            }
            assertThat(json.nextToken()).isNull();
        }
        return fields;
    }
}

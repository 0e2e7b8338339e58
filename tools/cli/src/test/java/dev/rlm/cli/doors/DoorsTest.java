package dev.rlm.cli.doors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.recorded.LateScores;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.Programs;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.schema.RewardVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A run is the same whichever way it comes in: the same description makes the same journal, but for what a way in cannot say. Each way
 * has a table of that, which is exact: a component that is lost, or comes through again, makes the test fail.
 */
@Timeout(180)
class DoorsTest {
    /** Components that belong to the journal that a run is in. */
    private static final Set<String> PLACES = Set.of("RunEnded.runPath", "ArtifactSaved.path", "ArtifactSaved.content");

    private static final Pattern COMPONENT = Pattern.compile("`([A-Z]\\w+\\.\\w+)`");

    private static final List<List<RunEvent>> BY_PROGRAM = List.of(
            ToldRuns.rich(),
            ToldRuns.failed(),
            ToldRuns.failedWithCode(),
            ToldRuns.chat(),
            ToldRuns.trace(),
            ToldRuns.rollout(),
            ToldRuns.cutOff(),
            ToldRuns.stopped());
    private static final List<List<RunEvent>> ALL =
            Stream.concat(BY_PROGRAM.stream(), Stream.of(ToldRuns.abandoned())).toList();

    @TempDir
    private Path folder;

    /** Returns what differs between the runs and the journal, by component, but for places. */
    private static Map<String, String> differences(List<List<RunEvent>> runs, Path journal) {
        Map<String, String> all = new TreeMap<>();
        Journal read = Journal.open(journal);
        for (List<RunEvent> told : runs) {
            String run = told.get(0).run().runId();
            String id = read.find(run) == null ? read.runs().get(0).runId() : run; // which a way in has made
            Differences.of(told, read.events(id))
                    .forEach((name, difference) -> all.merge(name, run + ": " + difference, (a, b) -> a + "; " + b));
        }
        all.keySet().removeAll(PLACES);
        return all;
    }

    private static void assertSaysAllButItsTable(String way, List<List<RunEvent>> runs, Path journal)
            throws IOException {
        Map<String, String> differences = differences(runs, journal);
        assertThat(differences.keySet()).as(String.valueOf(differences)).isEqualTo(table(way));
    }

    /** Returns what a way in cannot say, by the table of the document. */
    private static Set<String> table(String way) throws IOException {
        return Files.readAllLines(Path.of("..", "..", "docs", "architecture.md")).stream()
                .filter(line -> line.startsWith("| " + way + " | `"))
                .flatMap(line -> COMPONENT.matcher(line).results())
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void description_setsEachComponentOfEachEvent() {
        assertThat(Differences.unset(ALL.stream().flatMap(List::stream).toList()))
                .containsExactly("RunEnded.runPath");
    }

    @Test
    void handles() throws Exception {
        HandlesDoor.record(
                BY_PROGRAM,
                Sinks.builder()
                        .add("jsonl", JsonlSink.builder().directory(folder).build()));
        assertSaysAllButItsTable("handles", BY_PROGRAM, folder);
    }

    @Test
    void handles_thatSendTheirEventsElsewhere() throws Exception {
        RecordDoor.forward(BY_PROGRAM, folder);
        assertSaysAllButItsTable("handles", BY_PROGRAM, folder);
    }

    @Test
    void linesOfStandardInput() throws Exception {
        RecordDoor.pipe(ALL, folder);
        assertSaysAllButItsTable("`rlm record`", ALL, folder);
    }

    @Test
    void linesOfRequests() throws Exception {
        RecordDoor.http(BY_PROGRAM, folder);
        assertSaysAllButItsTable("`rlm record --port`", BY_PROGRAM, folder);
    }

    @Test
    void linesOfPython() throws Exception {
        Programs.require("python3");
        List<List<RunEvent>> runs = List.of(
                ToldRuns.failed(), ToldRuns.failedWithCode(), ToldRuns.chat(), ToldRuns.trace(), ToldRuns.stopped());
        RecordDoor.python(runs, folder);
        assertSaysAllButItsTable("Python", runs, folder);
    }

    @Test
    void importedChat() throws Exception {
        ChatDoor.file(List.of(ToldRuns.chat()), folder.resolve("chats.jsonl"));
        Path journal = folder.resolve("journal");
        succeed(
                journal,
                "import",
                "--pass-reward",
                "0.9",
                folder.resolve("chats.jsonl").toString());
        assertSaysAllButItsTable("`rlm import` of chats", List.of(ToldRuns.chat()), journal);
    }

    @Test
    void collectedSpans() throws Exception {
        SpansDoor.collect(List.of(ToldRuns.trace()), folder);
        assertSaysAllButItsTable("`rlm collect`", List.of(ToldRuns.trace()), folder);
    }

    @Test
    void callsThroughTheGateway() throws Exception {
        GatewayDoor.record(ToldRuns.rollout(), folder);
        assertSaysAllButItsTable("`rlm gateway`", List.of(ToldRuns.rollout()), folder);
    }

    /** Runs of a process that was killed before it told any end. */
    @Test
    void recovery() throws Exception {
        publish(
                List.of(ToldRuns.abandoned()).stream()
                        .map(DoorsTest::withoutEnd)
                        .toList(),
                folder);
        assertThat(Cli.with(Map.of("RLM_JSONL_DIR", folder.toString()), "recover")
                        .exitCode())
                .isZero();
        assertSaysAllButItsTable("`rlm recover`", List.of(ToldRuns.abandoned()), folder);
    }

    @Test
    void exportAndImport() throws Exception {
        Path journal = folder.resolve("journal");
        publish(BY_PROGRAM, journal);
        Path out = folder.resolve("out");
        succeed(journal, "export", "--format", "atif", "--output", out.toString());
        succeed(folder.resolve("other"), "import", "--format", "atif", out.toString());
        assertSaysAllButItsTable("`rlm import` of ATIF", BY_PROGRAM, folder.resolve("other"));
    }

    private static void succeed(Path journal, String... arguments) {
        Cli done = Cli.with(Map.of("RLM_JSONL_DIR", journal.toString()), arguments);
        assertThat(done.exitCode()).as(done.err()).isZero();
    }

    /** Scores of a run that has ended tell all that a reward can. */
    @Test
    void scores() {
        publish(List.of(ToldRuns.stopped()), folder);
        Reward score = Reward.of(0.5)
                .components(List.of(new RewardComponent("time", 0.5, -0.5, "s")))
                .label("weak")
                .explanation("It adds up.")
                .kind(RewardGiven.Kind.MODEL)
                .min(0.25)
                .max(1.0)
                .build();
        try (LateScores scores = new LateScores(folder, SinkConfig.of(Map.of()), List.of())) {
            scores.give(ToldRuns.stopped(), Instant.now(), Map.of(new RewardVersion("judge", "1"), score));
            assertThat(scores.finish()).isEmpty();
        }
        List<RunEvent> read = Journal.open(folder).events("stopped");
        assertThat(Differences.lost(score, (Record) read.get(read.size() - 1))).isEmpty();
    }

    @Test
    void generatedRuns() {
        checkGenerated(100, 0);
    }

    @Test
    @Tag("thorough")
    void thousandGeneratedRuns() {
        checkGenerated(1_000, 1_000_000);
    }

    /** Lines that say nothing that follows make of runs the same as handles did. */
    private void checkGenerated(int runs, long seed) {
        List<List<RunEvent>> told =
                LongStream.range(seed, seed + runs).mapToObj(GeneratedRun::of).toList();
        Path handles = folder.resolve("handles");
        HandlesDoor.record(
                told,
                Sinks.builder()
                        .add("jsonl", JsonlSink.builder().directory(handles).build()));
        Journal journal = Journal.open(handles);
        List<List<RunEvent>> recorded = told.stream()
                .map(events -> journal.events(events.get(0).run().runId()))
                .toList();
        RecordDoor.pipe(recorded, folder.resolve("lines"));
        Map<String, String> differences = differences(recorded, folder.resolve("lines"));
        differences.remove("RunStatus.message"); // of a failure, which is its error's first line
        assertThat(differences).isEmpty();
    }

    private static List<RunEvent> withoutEnd(List<RunEvent> events) {
        return events.stream().filter(event -> !(event instanceof RunEnded)).toList();
    }

    /** Writes events into a journal as they are. */
    private static void publish(List<List<RunEvent>> runs, Path journal) {
        try (Sinks sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(journal).build())
                .importing()
                .build()) {
            runs.forEach(events -> events.forEach(sinks::publish));
            assertThat(sinks.flushDurable(Duration.ofMinutes(1)).isComplete()).isTrue();
        }
    }
}

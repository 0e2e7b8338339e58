package dev.rlm.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.index.IndexCache;
import dev.rlm.journal.recovery.Replay;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.SampleEvents;
import dev.rlm.sinks.schema.LateEvents;
import dev.rlm.sinks.testkit.InMemorySink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a journal says of a run's rewards, by what stands in it: of this version or before, from its files or an index. */
class RewardVerdictTest {
    @TempDir
    Path directory;

    @TempDir
    Path cacheFolder;

    /**
     * Values before the end and after it; {@code at} those of older versions, which tell neither the pass reward nor a count;
     * {@code =} one that decides.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "        |            | UNREWARDED |",
                "0       |            | UNSOLVED   | 0.0",
                "0.5     |            | SOLVED     | 0.5",
                "NaN     |            | UNSOLVED   | 0.0",
                "        | 0.5        | SOLVED     | 0.5",
                "        | 0.25 1     | UNSOLVED   | 1.25",
                "        | 1 0        | SOLVED     | 1.0",
                "        | NaN        | UNDECIDED  | 0.0",
                "        | NaN 0.5    | SOLVED     | 0.5",
                "0       | 1          | UNSOLVED   | 1.0",
                "0       | =1         | SOLVED     | 1.0",
                "0.5     | =0 1       | UNSOLVED   | 1.5",
                "0       | =1 =0      | UNSOLVED   | 1.0",
                "old     |            | UNREWARDED |",
                "old 0   |            | UNSOLVED   | 0.0",
                "old     | 1          | UNDECIDED  | 1.0",
                "old     | =1         | SOLVED     | 1.0",
                "old 0   | 1          | UNSOLVED   | 1.0",
                "cut     |            | UNSOLVED   | 0.0",
            })
    void run_isSolvedAsItsRewardsSay(@Nullable String before, @Nullable String after, Verdict verdict, Double total)
            throws IOException {
        List<RunEvent> events = events(before == null ? "" : before, after == null ? "" : after);
        record(events);
        settle();
        for (Journal journal : List.of(Journal.open(directory), indexed(), indexed())) {
            RunSummary run = journal.run("r");
            assertThat(run.verdict()).isEqualTo(verdict);
            assertThat(run.totalReward()).isEqualTo(total);
            assertThat(run.isSolved()).isEqualTo(verdict == Verdict.SOLVED);
        }
        assertThat(resent())
                .filteredOn(RunEnded.class::isInstance)
                .singleElement()
                .extracting(end -> ((RunEnded) end).hasReward())
                .isEqualTo(before != null && !before.equals("old"));
    }

    /** As where a process with an earlier writer's folder gives a reward to a run that another has recorded. */
    @RepeatedTest(10) // folders of one second are in an order by chance
    void lateReward_mayStandBeforeItsRun_andMoreThanOnce() throws IOException {
        List<RunEvent> events = events("", "0.5");
        RunEvent late = events.get(2);
        record(List.of(late));
        record(events.subList(0, 2));
        record(List.of(late));

        RunSummary run = Journal.open(directory).run("r");
        assertThat(run.totalReward()).isEqualTo(0.5);
        assertThat(run.verdict()).isEqualTo(Verdict.SOLVED);
        assertThat(resent()).containsExactlyElementsOf(events);
    }

    private List<RunEvent> events(String before, String after) {
        boolean old = before.startsWith("old") || before.startsWith("cut");
        RunInfo run = RunInfoBuilder.builder()
                .runId("r")
                .startedAt(SampleEvents.START)
                .environment("calc")
                .passReward(old ? null : (Double) 0.5)
                .build();
        List<RunEvent> events = new ArrayList<>(List.of(new RunStarted(run, 1)));
        double total = 0;
        double last = Double.NaN;
        int absent = 0;
        for (String value : values(before.replaceAll("old|cut", ""))) {
            last = Double.parseDouble(value);
            total += Double.isNaN(last) ? 0 : last;
            absent += Double.isNaN(last) ? 1 : 0;
            events.add(reward(run, 1 + events.size(), 10, value));
        }
        int rewards = events.size() - 1;
        events.add(RunEndedBuilder.builder()
                .run(run)
                .seq(2 + rewards + (before.equals("cut") ? 1 : 0)) // of an event that is lost
                .nanos(20)
                .outcome(Outcome.COMPLETED)
                .status(RunStatus.of(RunStatus.FINISHED, ""))
                .solved(last >= 0.5)
                .totalReward(total)
                .absentRewards(absent)
                .rewards(old ? null : (Integer) rewards)
                .build());
        long nanos = 30;
        for (String value : values(after)) {
            double given = Double.parseDouble(value.replace("=", ""));
            events.add(reward(run, LateEvents.seq(RunEvent.NO_STEP, "judge", given), nanos++, value));
        }
        return events;
    }

    private static List<String> values(String text) {
        return Stream.of(text.trim().split(" "))
                .filter(value -> !value.isEmpty())
                .toList();
    }

    private static RewardGiven reward(RunInfo run, long seq, long nanos, String value) {
        double given = Double.parseDouble(value.replace("=", ""));
        return RewardGivenBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(nanos)
                .step(RunEvent.NO_STEP)
                .source("judge")
                .value(given)
                .absence(Double.isNaN(given) ? "why" : null)
                .solved(value.startsWith("=") ? (Boolean) (given >= 0.5) : null)
                .startNanos(nanos)
                .build();
    }

    private void record(List<RunEvent> events) {
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            events.forEach(sink::onEvent);
            sink.onBatchEnd();
        }
    }

    private void settle() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
            }
        }
    }

    private Journal indexed() {
        return Journal.open(directory, IndexCache.in(cacheFolder));
    }

    private List<RunEvent> resent() {
        InMemorySink sink = new InMemorySink();
        try (Sinks sinks = Sinks.builder().add("memory", sink).resending().build()) {
            Replay.of(directory).sendTo(sinks, runs -> {});
        }
        return sink.events().stream().map(RunEvent.class::cast).toList();
    }
}

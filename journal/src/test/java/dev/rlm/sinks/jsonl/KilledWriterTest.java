package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.journal.Journal;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.Compression;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.maintenance.Deleter;
import dev.rlm.journal.maintenance.RunDeletion;
import dev.rlm.journal.maintenance.RunDeletionTest;
import dev.rlm.journal.recovery.Recovered;
import dev.rlm.journal.recovery.Recoverer;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.sinks.event.RunEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real writers and real recoveries that are killed, over and over: what was acknowledged is there, and nothing is left that
 * cannot be read. {@code -Drlm.test.kill.seconds=600} goes on for longer than the usual few seconds.
 */
@Tag("thorough")
@Timeout(3600)
@DisabledOnOs(OS.WINDOWS)
public class KilledWriterTest {
    private static final long SECONDS = Long.getLong("rlm.test.kill.seconds", 2);
    private static final int MANY = 1_000_000;
    private static final int FEW = 3;
    private static final List<String> CALLS = List.of("write", "pwrite64", "fdatasync", "fsync", "ftruncate");

    @TempDir
    private Path directory;

    @Test
    void writers_killedAtAnyMoment_loseNothingAcknowledged() throws Exception {
        Random random = new Random(SECONDS);
        long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
        List<Killed> killed = new ArrayList<>();
        for (int round = 0; killed.isEmpty() || System.nanoTime() - end < 0; round++) {
            Process one = KilledWriter.startCeaseless(List.of(), directory, "a" + round, MANY);
            Process two = KilledWriter.startCeaseless(List.of(), directory, "b" + round, MANY);
            try {
                killed.add(killAfter(one, "a" + round, random));
                Recovery.recover(directory); // with a live writer beside
                killed.add(killAfter(two, "b" + round, random));
            } finally {
                one.destroyForcibly();
                two.destroyForcibly();
            }
            recoverTwiceAtOnce();
        }
        check(killed);
    }

    private static Killed killAfter(Process writer, String prefix, Random random) throws Exception {
        BufferedReader acknowledged = writer.inputReader();
        String last = acknowledged.readLine(); // so that it is on its way
        TimeUnit.MICROSECONDS.sleep(random.nextInt(40_000));
        writer.toHandle().destroyForcibly(); // which, other than the process, leaves what it wrote to be read
        for (String line = last; line != null; line = acknowledged.readLine()) {
            last = line;
        }
        writer.waitFor();
        return new Killed(prefix, last == null ? -1 : Integer.parseInt(last));
    }

    private void recoverTwiceAtOnce() {
        CompletableFuture<Recovered> one = CompletableFuture.supplyAsync(() -> Recovery.recover(directory));
        CompletableFuture<Recovered> two = CompletableFuture.supplyAsync(() -> Recovery.recover(directory));
        assertThat(one.join().problems()).isEmpty();
        assertThat(two.join().problems()).isEmpty();
        Recovery.recover(directory); // one of them may have met the other at a folder
    }

    @Test
    void writer_killedAtEachCallThatWrites_losesNothingAcknowledged() throws Exception {
        assumeStrace();
        List<Killed> killed = new ArrayList<>();
        for (String call : CALLS) {
            boolean reached = true;
            for (int when = 1; reached && when <= 40; when++) {
                String prefix = call + "-" + when;
                Process writer = KilledWriter.startCeaseless(strace(call, when), directory, prefix, FEW);
                int last = -1;
                for (String line : writer.inputReader().lines().toList()) {
                    last = Integer.parseInt(line);
                }
                reached = writer.waitFor() != 0;
                killed.add(new Killed(prefix, last));
            }
        }
        Recovery.recover(directory);
        check(killed);
    }

    @Test
    void writerThatGoesOnInAFolder_killedAtEachCallThatChangesFiles_losesNothing_alsoNotOfTheOther() throws Exception {
        assumeStrace();
        List<Killed> killed = new ArrayList<>();
        for (String call : List.of("write", "fsync", "fdatasync", "link", "unlink", "openat")) {
            boolean reached = true;
            for (int when = 1; reached && when <= 40; when++) {
                Path folder = left("left-" + call + "-" + when);
                int from = call.equals("openat") ? 400 : 0; // of the classes that are loaded first
                String prefix = call + "-" + when;
                Process writer = KilledWriter.startCeaseless(strace(call, from + when), directory, prefix, FEW);
                int last = -1;
                for (String line : writer.inputReader().lines().toList()) {
                    last = Integer.parseInt(line);
                }
                reached = writer.waitFor() != 0;
                killed.add(new Killed("left-" + prefix, 0));
                killed.add(new Killed(prefix, last));
                assertThat(last < 0
                                || Files.readString(folder.resolve("events-1.jsonl"))
                                        .contains("\"" + prefix + "-0\""))
                        .isTrue();
            }
        }
        Recovery.recover(directory);
        check(killed);
        assertThat(Recovery.recover(directory).isNothing()).isTrue();
    }

    /** The folder of a writer that ended well, in which the next goes on. */
    private Path left(String prefix) {
        JsonlSink sink = JsonlSink.builder().directory(directory).build();
        KilledWriter.events(prefix, 0).forEach(sink::onEvent);
        sink.close();
        return sink.recordPath().orElseThrow();
    }

    @Test
    void recovery_killedAtEachCallThatWrites_isMadeUpForByTheNext() throws Exception {
        assumeStrace();
        for (String call : CALLS) {
            boolean reached = true;
            for (int when = 1; reached && when <= 12; when++) {
                Path journal = directory.resolve(call + "-" + when);
                Path folder = tornJournal(journal);
                Process recovery = Recoverer.start(strace(call, when), journal);
                reached = recovery.waitFor() != 0;
                Recovery.recover(journal);
                assertThat(Files.readString(folder.resolve("events-1.torn"))).isEqualTo("{\"type\":\"torn");
                assertThat(Files.readString(folder.resolve("runs.torn"))).isEqualTo("{\"timestamp\":\"torn");
                assertThat(folder.resolve("events-1.2.torn")).doesNotExist();
                assertThat(Files.readAllLines(folder.resolve("runs.jsonl"))).hasSize(1);
                check(Journal.open(journal), "open-1", KilledWriter.events("open", 1));
            }
        }
    }

    @Test
    void recovery_makesSafeWhatItRestsOn_beforeItNotesAnything() throws Exception {
        assumeStrace();
        Path journal = directory.resolve("journal");
        try (JsonlSink sink =
                JsonlSink.builder().directory(journal).fsync(Fsync.NEVER).build()) {
            KilledWriter.events("open", 1).forEach(sink::onEvent);
            sink.onBatchEnd();
        }
        Path calls = directory.resolve("calls");
        List<String> strace = List.of("strace", "-f", "-qq", "-y", "-o", calls.toString(), "-e", "trace=fsync,write");
        assertThat(Recoverer.start(strace, journal).waitFor()).isZero();
        List<String> made = Files.readAllLines(calls);
        assertThat(firstWith(made, "fsync", "/events-1.jsonl"))
                .isBetween(0, firstWith(made, "write", "/recovery.jsonl"));
    }

    @Test
    void deletion_killedAtEachCallThatChangesFiles_losesNoOtherRun_andIsDoneByTheNext() throws Exception {
        assumeStrace();
        List<RunEvent> kept = SampleEvents.rich("kept", "text");
        for (String call : List.of("write", "fsync", "fdatasync", "rename", "unlink")) {
            int kills = 0;
            for (int when = 1; kills == when - 1; when++) {
                Path journal = directory.resolve(call + "-" + when);
                Path folder = journalToDeleteFrom(journal, kept);
                Process deletion = Deleter.start(strace(call, when), journal, "gone");
                kills += deletion.waitFor() == 0 ? 0 : 1;

                Journal left = Journal.open(journal);
                assertThat(left.damagedLines()).isZero();
                assertThat(left.events("kept")).isEqualTo(kept);
                assertThat(left.ledgers()).hasSize(1);
                left.runs().stream()
                        .filter(run -> run.run().runId().equals("gone"))
                        .forEach(run -> RunDeletion.of(left, List.of(run)).delete(folders -> {}));

                assertThat(Journal.open(journal).runs()).hasSize(1);
                assertThat(Journal.open(journal).events("kept")).isEqualTo(kept);
                for (Path file : List.of(
                        folder.resolve("events-1.jsonl.zst"),
                        folder.resolve("events-2.jsonl"),
                        folder.resolve("runs.jsonl"))) {
                    assertThat(RunDeletionTest.text(file)).doesNotContain("planted", "\"gone\"");
                }
                try (Stream<Path> files = Files.walk(folder)) {
                    assertThat(files.filter(Files::isRegularFile)).hasSize(3);
                }
            }
            assertThat(kills).as(call).isPositive();
        }
    }

    /** A compressed segment and a plain one, each with both runs, and what else one of them may have left. */
    private static Path journalToDeleteFrom(Path journal, List<RunEvent> kept) throws IOException {
        List<RunEvent> gone = SampleEvents.rich("gone", "planted");
        try (JsonlSink sink = JsonlSink.builder().directory(journal).build()) {
            gone.subList(0, 2).forEach(sink::onEvent);
            kept.forEach(sink::onEvent);
            gone.subList(2, gone.size()).forEach(sink::onEvent);
            sink.onEvent(SampleEvents.ledger());
        }
        Path folder = JournalFolder.writers(journal).get(0);
        Path first = folder.resolve("events-1.jsonl");
        List<String> lines = Files.readAllLines(first);
        Files.write(first, lines.subList(0, 5));
        Files.writeString(
                folder.resolve("events-2.jsonl"),
                lines.get(0) + "\n" + String.join("\n", lines.subList(5, lines.size())) + "\n");
        new Compression(Disk.LOCAL, () -> false).compress(new Segment(folder, 1));
        Files.writeString(
                folder.resolve("events-2.torn"), "{\"type\":\"heartbeat\",\"run_id\":\"gone\",\"x\":\"planted");
        Files.writeString(folder.resolve("events-1.jsonl.zst.0123abcd.tmp"), "planted");
        Files.writeString(Files.createDirectory(folder.resolve("artifacts")).resolve("a".repeat(64)), "planted");
        return folder;
    }

    /** The number of the first call of that name that has to do with such a file; -1 where there is none. */
    private static int firstWith(List<String> calls, String name, String file) {
        return calls.indexOf(calls.stream()
                .filter(call -> call.contains(" " + name + "(") && call.contains(file + ">"))
                .findFirst()
                .orElse(""));
    }

    private static Path tornJournal(Path journal) throws IOException {
        try (JsonlSink sink = JsonlSink.builder().directory(journal).build()) {
            KilledWriter.events("open", 1).forEach(sink::onEvent);
            sink.onBatchEnd();
            Path folder = Path.of(sink.location("").orElseThrow());
            Path events = folder.resolve("events-1.jsonl");
            Files.writeString(events, Files.readString(events) + "{\"type\":\"torn");
            Files.writeString(folder.resolve("runs.jsonl"), "{\"timestamp\":\"torn");
            return folder;
        }
    }

    /** Every acknowledged event can be read, every run has its end, and no line is damaged. */
    private void check(List<Killed> killed) throws IOException {
        Journal journal = Journal.open(directory);
        for (Killed writer : killed) {
            for (int i = 0; i <= writer.acknowledged(); i++) {
                check(journal, writer.prefix() + "-" + i, KilledWriter.events(writer.prefix(), i));
            }
        }
        assertThat(journal.runs()).allMatch(run -> run.end() != null);
        assertThat(journal.damagedLines()).isZero();
        assertThat(leftovers()).isEmpty();
    }

    private static void check(Journal journal, String runId, List<RunEvent> expected) {
        assertThat(journal.damagedLines()).isZero();
        assertThat(journal.events(runId)).startsWith(expected.toArray(new RunEvent[0]));
        assertThat(journal.run(runId).end()).isNotNull();
    }

    private List<Path> leftovers() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".tmp")).toList();
        }
    }

    public static List<String> strace(String call, int when) {
        return List.of(
                "strace",
                "-f",
                "--seccomp-bpf", // other calls are not stopped at, which are nearly all
                "-qq",
                "-o",
                "/dev/null",
                "-e",
                "trace=" + call,
                "-e",
                "inject=" + call + ":signal=KILL:when=" + when);
    }

    public static void assumeStrace() {
        boolean works;
        try {
            works = new ProcessBuilder("strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "true")
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            works = false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            works = false;
        }
        assumeTrue(works, "strace is not here, or may not trace");
    }

    /** A writer that was killed, and the number of the last run of which all was acknowledged; -1 for none. */
    private record Killed(String prefix, int acknowledged) {}
}

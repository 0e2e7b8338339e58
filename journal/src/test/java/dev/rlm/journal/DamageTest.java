package dev.rlm.journal;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.rlm.journal.format.segment.Compression;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.journal.recovery.Replay;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.SampleEvents;
import dev.rlm.sinks.testkit.InMemorySink;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is damaged counts alike for all who read, and harms nothing else; what is only unusual is not damaged. */
@Timeout(120)
class DamageTest {
    private static final List<RunEvent> OPEN =
            SampleEvents.withoutEnd(SampleEvents.rich("open", "text")).toList();

    @TempDir
    Path directory;

    @Test
    void linesInTheMiddle_thatAreDamaged_countAlikeForAll_andStay() throws IOException {
        Path file = record(OPEN).resolve("events-1.jsonl");
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.set(2, lines.get(2).substring(0, lines.get(2).length() - 7));
        lines.set(4, lines.get(4).replace("\"openai\"", "\"open\0\0\""));
        lines.set(6, lines.get(6).replace("\"source\":", "\"source\";"));
        lines.add(8, "");
        lines.add(9, "{}");
        Files.write(file, lines);
        byte[] before = Files.readAllBytes(file);

        assertThat(counts()).containsExactly(5L, 5L, 5L, 5L);
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        assertThat(Journal.open(directory).events("open")).hasSize(OPEN.size() - 3 + 1);
    }

    @Tag("thorough")
    @Test
    void bitsThatFlip_countAlikeForAll() throws IOException {
        Path file = record(OPEN).resolve("events-1.jsonl");
        byte[] whole = Files.readAllBytes(file);
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            byte[] flipped = whole.clone();
            int at = random.nextInt(whole.length);
            flipped[at] = (byte) (random.nextBoolean() ? 0 : flipped[at] ^ 0x80);
            Files.write(file, flipped);
            Files.deleteIfExists(file.resolveSibling("recovery.jsonl"));
            Files.deleteIfExists(file.resolveSibling("events-2.jsonl"));
            Files.deleteIfExists(file.resolveSibling("events-1.torn"));
            List<Long> counts = counts();
            assertThat(counts.subList(0, 3)).as("byte %s", at).containsOnly(1L);
            assertThat(counts.get(3))
                    .as("byte %s, unless it is in the tail", at)
                    .isLessThanOrEqualTo(1L);
        }
    }

    /** As list, report, resend and recover count them, in this order. */
    private List<Long> counts() {
        Journal journal = Journal.open(directory);
        try (Sinks sinks =
                Sinks.builder().add("memory", new InMemorySink()).resending().build()) {
            return List.of(
                    journal.damagedLines(),
                    journal.read(journal.runs(), (run, events) -> {}),
                    Replay.of(directory).sendTo(sinks, runs -> {}).damagedLines(),
                    Recovery.recover(directory).damagedLines());
        }
    }

    @Test
    void wholeLineWithoutLineFeed_isRead_beforeAndAfterRecovery_once() throws IOException {
        Path file = record(OPEN).resolve("events-1.jsonl");
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length - 1));
        assertThat(Journal.open(directory).events("open")).isEqualTo(OPEN);
        assertThat(Journal.open(directory).damagedLines()).isZero();
        RunTail tail = Journal.open(directory).follow("open");
        assertThat(tail.poll()).isEqualTo(OPEN);

        Recovery.recover(directory);

        assertThat(Files.readAllBytes(file)).isEqualTo(whole);
        assertThat(tail.poll()).hasSize(1);
        assertThat(Journal.open(directory).events("open")).hasSize(OPEN.size() + 1);
    }

    @Test
    void run_whoseEndIsDamaged_isNotGivenAnother_whereTheFileOfEndedRunsTellsOfIt() throws IOException {
        Path folder = record(OPEN);
        List<RunEvent> ended = SampleEvents.bare("ended");
        Path other = record(ended);
        byte[] summary = Files.readAllBytes(other.resolve("runs.jsonl"));
        List<String> lines = Files.readAllLines(other.resolve("events-1.jsonl"));
        Files.write(folder.resolve("events-2.jsonl"), lines.subList(0, lines.size() - 1));
        Files.write(folder.resolve("events-3.jsonl.zst"), new byte[] {1, 2, 3}); // its end was there
        Files.write(folder.resolve("runs.jsonl"), summary);

        assertThat(Recovery.recover(folder).runs()).as("the open one alone").isEqualTo(1);

        assertThat(Files.readAllLines(folder.resolve("runs.jsonl")))
                .hasSize(2)
                .filteredOn(line -> line.contains("\"run_id\":\"ended\""))
                .singleElement(as(STRING))
                .contains("\"outcome\":\"completed\"");
    }

    @Tag("thorough")
    @Test
    void gibibyteOfNuls_isOneDamagedLine_andTakesNoMemory() throws IOException {
        Path folder = record(OPEN);
        Path file = folder.resolve("events-1.jsonl");
        byte[] more = Files.readAllBytes(record(SampleEvents.bare("ended")).resolve("events-1.jsonl"));
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(sparse.length() - 1); // the last line feed is missing, too
            sparse.seek(sparse.length() + (1L << 30));
            sparse.write('\n');
            sparse.write(more);
            sparse.setLength(sparse.length() + (1L << 30));
        }
        Journal journal = Journal.open(folder);
        assertThat(journal.events("open")).isEqualTo(OPEN.subList(0, OPEN.size() - 1));
        assertThat(journal.events("ended")).isEqualTo(SampleEvents.bare("ended"));
        assertThat(journal.damagedLines()).isEqualTo(2);
    }

    // ---- what is not damage

    @Test
    void longNumbersAndLines_areNoDamage() throws IOException {
        Path file = record(OPEN).resolve("events-1.jsonl");
        String text = Files.readString(file);
        String digits = "7".repeat(5_000);
        Files.writeString(
                file,
                text.replaceFirst("\"big\":\\d+", "\"big\":" + digits + ",\"small\":0." + digits)
                        .replaceFirst("\"task\":\"text\"", "\"task\":\"" + "x".repeat(1_000_000) + "\""));
        assertThat(counts()).containsOnly(0L);
        RunStarted start = (RunStarted) Journal.open(directory).events("open").get(0);
        assertThat(start.run().params().get("big")).hasToString(digits);
        assertThat(start.run().task().length()).isEqualTo(1_000_000);
    }

    @Test
    void linesOfALaterVersion_areNoDamage_andKeepTheirNumbers() throws IOException {
        Path file = record(OPEN).resolve("events-1.jsonl");
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.add(1, "{\"type\":\"later\",\"run_id\":\"open\",\"seq\":20,\"more\":{}}");
        lines.add(1, "{\"type\":\"later\",\"of\":\"nobody\"}");
        lines.add("{\"type\":\"later\",\"run_id\":\"open\",\"seq\":30,\"time\":\"x\",\"nanos\":1}");
        lines.set(4, lines.get(4).replace("\"nanos\"", "\"later\":[1],\"nanos\""));
        Files.write(file, lines);
        assertThat(counts()).containsOnly(0L);
        assertThat(Journal.open(directory).events("open"))
                .last()
                .extracting(RunEvent::seq)
                .isEqualTo(31L);
        assertThat(Journal.open(directory).events("open")).hasSize(OPEN.size() + 1);
    }

    // ---- compressed files

    @Tag("thorough")
    @Test
    void compressedFile_thatIsDamaged_isReadAsFarAsPossible_counted_andKept() throws IOException {
        List<RunEvent> many = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            many.addAll(SampleEvents.rich("run-" + i, "text " + new Random(i).nextLong()));
        }
        many.addAll(OPEN);
        Path folder = record(many);
        Path compressed = compress(folder);
        byte[] whole = Files.readAllBytes(compressed);
        assertThat(counts()).containsOnly(0L);
        for (byte[] damaged : List.of(Arrays.copyOf(whole, whole.length * 2 / 3), flipped(whole), new byte[10])) {
            Files.write(compressed, damaged);
            Files.delete(folder.resolve("recovery.jsonl"));
            Files.deleteIfExists(folder.resolve("events-2.jsonl"));
            List<Long> counts = counts();
            assertThat(counts.get(0)).isPositive();
            assertThat(counts).containsOnly(counts.get(0));
            assertThat(compressed).hasBinaryContent(damaged);
        }
    }

    private static byte[] flipped(byte[] whole) {
        byte[] flipped = whole.clone();
        flipped[whole.length / 2] ^= 0x55;
        return flipped;
    }

    @Test
    void interruptedCompression_isTidied_whereNothingIsLostByIt() throws IOException {
        Path folder = record(OPEN);
        Path plain = folder.resolve("events-1.jsonl");
        byte[] bytes = Files.readAllBytes(plain);
        Path compressed = compress(folder);
        byte[] whole = Files.readAllBytes(compressed);
        Files.write(plain, bytes);
        Files.writeString(folder.resolve("events-1.jsonl.zst.tmp"), "unfinished");
        Recovery.recover(directory);
        assertThat(names(folder))
                .containsExactlyInAnyOrder("lock", "events-1.jsonl", "events-2.jsonl", "runs.jsonl", "recovery.jsonl");

        Files.write(plain, "{\"type\":\"other\"}\n".getBytes(StandardCharsets.UTF_8));
        Files.write(compressed, whole);
        Files.delete(folder.resolve("recovery.jsonl"));
        Recovery.recover(directory);
        assertThat(compressed).hasBinaryContent(whole);
    }

    @Test
    void runsInCompressedFiles_getOneEnd() throws IOException {
        Path folder = record(OPEN);
        compress(folder);
        assertThat(Recovery.recover(directory).runs()).isEqualTo(1);
        Files.delete(folder.resolve("recovery.jsonl"));
        assertThat(Recovery.recover(directory).runs()).isZero();
        assertThat(Journal.open(directory).events("open")).hasSize(OPEN.size() + 1);
    }

    @Test
    void run_whoseStartAndEndWereRemoved_isNotAbandoned() throws IOException {
        List<RunEvent> ended = new ArrayList<>(SampleEvents.bare("ended"));
        Path folder = record(Stream.concat(OPEN.stream(), ended.stream()).toList());
        Path first = folder.resolve("events-1.jsonl");
        String header = Files.readAllLines(first).get(0);
        String late = JournalJson.event(SampleEvents.reward(ended.get(0).run(), 7));
        String open = JournalJson.event(OPEN.get(OPEN.size() - 1));
        Files.writeString(folder.resolve("events-2.jsonl"), String.join("\n", header, late, open, ""));
        Files.delete(first);
        assertThat(Recovery.recover(directory).runs()).isEqualTo(1); // the open one, of which the start is gone
        assertThat(Journal.open(directory).run("open").state()).isEqualTo(RunState.ABANDONED);
        assertThat(Files.readAllLines(folder.resolve("runs.jsonl"))).hasSize(2);
    }

    // ---- following

    @Test
    void tail_goesOn_overNewFilesAndCompression_andReadsNoClosedFileAgain() throws IOException {
        Path folder = record(OPEN.subList(0, 4));
        String header = Files.readAllLines(folder.resolve("events-1.jsonl")).get(0) + "\n";
        RunTail tail = Journal.open(directory).follow("open");
        assertThat(tail.poll()).hasSize(4);
        Files.writeString(
                folder.resolve("events-1.jsonl"), JournalJson.event(OPEN.get(4)) + "\n", StandardOpenOption.APPEND);
        Files.writeString(folder.resolve("events-2.jsonl"), header + JournalJson.event(OPEN.get(5)) + "\n");
        compress(folder);
        assertThat(tail.poll()).isEqualTo(OPEN.subList(4, 6));
        Files.write(folder.resolve("events-1.jsonl.zst"), new byte[100]); // would fail who reads it again
        Files.writeString(
                folder.resolve("events-2.jsonl"), JournalJson.event(OPEN.get(6)) + "\n", StandardOpenOption.APPEND);
        assertThat(tail.poll()).isEqualTo(OPEN.subList(6, 7));
        assertThat(tail.poll()).isEmpty();
    }

    private static Path compress(Path folder) throws IOException {
        Segment segment = new Segment(folder, 1);
        new Compression(Disk.LOCAL, () -> false).compress(segment);
        return segment.compressed();
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private Path record(List<RunEvent> events) {
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            events.forEach(sink::onEvent);
            sink.onBatchEnd();
            return Path.of(sink.location("").orElseThrow());
        }
    }
}

package dev.rlm.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.format.segment.Compression;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.index.EventRow;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.SampleEvents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read from an index is what is read from the files, whatever has become of them. */
class IndexTest {
    private static final int RUNS = 400;
    private static final String TEXT = "0123456789".repeat(20);

    @TempDir
    Path directory;

    @TempDir
    Path cacheFolder;

    @Test
    void closedFiles_areNotReadAgain() throws IOException {
        record(SampleEvents.rich("a", "text"));
        record(SampleEvents.rich("b", "text"));
        settle();
        Journal first = indexed();
        for (Path file : segments()) {
            FileTime time = Files.getLastModifiedTime(file);
            byte[] bytes = Files.readAllBytes(file);
            Arrays.fill(bytes, (byte) 'x'); // would be damage to who reads it
            Files.write(file, bytes);
            Files.setLastModifiedTime(file, time);
        }

        assertSame(indexed(), first);
        assertThat(Journal.open(directory).runs()).isEmpty();
    }

    @Tag("thorough")
    @Tag("smoke")
    @Test
    void index_andFiles_tellTheSame_whateverHappens() throws IOException {
        Random random = new Random(5);
        for (int round = 0; round < 40; round++) {
            change(random, round);
            settle();

            Journal scanned = Journal.open(directory);
            assertSame(indexed(), scanned);
            assertSame(indexed(), scanned);
        }
    }

    @Tag("thorough")
    @Test
    void indexThatIsDamaged_isMadeAgain() throws IOException {
        record(SampleEvents.rich("a", "text"));
        settle();
        Journal scanned = Journal.open(directory);
        indexed();
        Path index = indexes().get(0);
        byte[] whole = Files.readAllBytes(index);
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x11;
            Files.write(index, damaged);
            assertSame(indexed(), scanned);
        }
        Files.write(index, new byte[0]);
        assertSame(indexed(), scanned);
    }

    @Test
    void fileThatHasJustChanged_isNotIndexed() {
        record(SampleEvents.rich("a", "text"));

        assertSame(indexed(), Journal.open(directory));
        assertThat(indexes()).isEmpty();
    }

    @Test
    void cacheThatCannotBeWritten_costsNothingButTime() throws IOException {
        record(SampleEvents.rich("a", "text"));
        settle();
        Files.writeString(cacheFolder.resolve("file"), "");

        assertSame(Journal.open(directory, IndexCache.in(cacheFolder.resolve("file"))), Journal.open(directory));
    }

    @Tag("thorough")
    @Test
    void fileThatGrows_isReadOnFromWhereItsIndexEnds() throws IOException {
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            write(sink, "a");
            Journal first = indexed();
            Path file = segments().get(0);
            byte[] bytes = new byte[1_000];
            Arrays.fill(bytes, (byte) 'x'); // would be damage to who reads it
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(bytes), 100_000);
            }
            assertThat(indexed().runs()).isEqualTo(first.runs()).hasSize(RUNS);
            write(sink, "b");

            assertThat(indexed().runs()).hasSize(2 * RUNS).containsAll(first.runs());
            assertThat(indexed().events("b-7")).isEqualTo(SampleEvents.rich("b-7", TEXT));
            assertThat(indexed().damagedLines()).isZero();
            assertThat(Journal.open(directory).damagedLines()).isPositive();
        }
    }

    @Tag("thorough")
    @Test
    void fileThatGrows_andIsAnother_isReadAnew() throws IOException {
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            write(sink, "a");
            indexed();
            Path file = segments().get(0);
            String text = Files.readString(file);
            Files.writeString(file, text.replace("\"a-", "\"c-"));

            assertThat(indexed().runs())
                    .hasSize(RUNS)
                    .allMatch(run -> run.runId().startsWith("c-"));
        }
    }

    @Test
    void texts_areReadFromTheFiles() throws IOException {
        List<RunEvent> events = SampleEvents.rich("run", "text");
        record(events);
        settle();
        indexed();

        RunSummary run = indexed().run("run");
        assertThat(run.run()).isEqualTo(events.get(0).run());
        assertThat(run.end())
                .isEqualTo(events.stream()
                        .filter(RunEnded.class::isInstance)
                        .findFirst()
                        .orElseThrow());
        assertThat(run.row().run().task()).isEqualTo(Content.EMPTY);
    }

    @Test
    void rows_tellWhatEventsTell() throws IOException {
        record(SampleEvents.rich("run", "text ".repeat(40)));
        settle();
        indexed();

        RunSummary run = indexed().run("run");
        List<RunEvent> events = indexed().events("run");
        assertThat(List.copyOf(run.eventRows()))
                .hasSize(4)
                .isEqualTo(events.stream()
                        .map(IndexTest::row)
                        .filter(Objects::nonNull)
                        .toList());
        assertThat(run.row().lastReward())
                .isEqualTo(events.stream()
                        .filter(RewardGiven.class::isInstance)
                        .map(event -> ((RewardGiven) event).value())
                        .reduce(Double.NaN, (before, last) -> last));
    }

    private static @Nullable EventRow row(RunEvent event) {
        if (event instanceof ModelCalled call) {
            return new EventRow.ModelCall(
                    call.seq(),
                    call.model(),
                    call.duration().toNanos(),
                    call.error() != null,
                    call.usage(),
                    call.costAmount(),
                    call.costCurrency());
        } else if (event instanceof ToolCalled call) {
            return new EventRow.ToolCall(
                    call.seq(), call.tool(), call.duration().toNanos(), call.failed());
        } else if (event instanceof RewardGiven reward) {
            return new EventRow.Reward(
                    reward.seq(),
                    reward.value(),
                    reward.isOutOfRange(),
                    reward.absence(),
                    reward.components(),
                    reward.source(),
                    reward.kind(),
                    reward.solved());
        }
        return null;
    }

    @Test
    void fileThatIsRewritten_isReadWhereItsLinesAreThen() throws IOException {
        List<RunEvent> events = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            events.addAll(SampleEvents.rich("run-" + i, "text"));
        }
        record(events);
        Journal before = Journal.open(directory);
        Path file = segments().get(0);
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.removeIf(line -> line.contains("\"run-3\""));
        Files.write(file, lines);
        List<List<RunEvent>> read = new ArrayList<>();

        before.read(List.of(before.run("run-7"), before.run("run-3")), (run, some) -> read.add(some));

        assertThat(read).containsExactlyInAnyOrder(SampleEvents.rich("run-7", "text"), List.of());
        assertThat(before.events("run-8")).isEqualTo(SampleEvents.rich("run-8", "text"));
        assertThat(before.run("run-9").run())
                .isEqualTo(SampleEvents.rich("run-9", "text").get(0).run());
    }

    /** More than is worth an index. */
    private static void write(JsonlSink sink, String runs) {
        for (int i = 0; i < RUNS; i++) {
            SampleEvents.rich(runs + "-" + i, TEXT).forEach(sink::onEvent);
            sink.onBatchEnd();
        }
    }

    @Test
    void index_isTheUsersAlone() throws IOException {
        record(SampleEvents.rich("a", "text"));
        settle();
        indexed();

        assertThat(Files.getPosixFilePermissions(indexes().get(0)))
                .containsOnly(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    }

    /** Records, kills, damages, compresses, deletes, recovers or merges something. */
    private void change(Random random, int round) throws IOException {
        List<Path> files = segments();
        int kind = files.isEmpty() ? 0 : random.nextInt(10);
        if (kind <= 2) {
            List<RunEvent> events = new ArrayList<>(SampleEvents.rich("run-" + round, "text " + random.nextLong()));
            events.addAll(SampleEvents.bare("bare-" + random.nextInt(round + 1)));
            int from = random.nextInt(4) == 0 ? random.nextInt(events.size()) : 0;
            record(events.subList(from, random.nextBoolean() ? events.size() : from + (events.size() - from) / 2));
            return;
        }
        Path file = files.get(random.nextInt(files.size()));
        byte[] bytes = Files.readAllBytes(file);
        if (kind == 3 && bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, bytes);
        } else if (kind == 4 && bytes.length > 0) {
            Files.write(file, Arrays.copyOf(bytes, random.nextInt(bytes.length)));
        } else if (kind == 5 && file.toString().endsWith(".jsonl")) {
            Path folder = Objects.requireNonNull(file.getParent());
            new Compression(Disk.LOCAL, () -> false).compress(new Segment(folder, number(file)));
        } else if (kind == 6) {
            Files.delete(file);
        } else if (kind == 7) {
            Recovery.recover(directory);
        } else {
            Files.write(file, Files.readAllBytes(files.get(0)));
        }
    }

    private static int number(Path file) {
        return Integer.parseInt(file.getFileName().toString().replaceAll("\\D", ""));
    }

    private static void assertSame(Journal actual, Journal expected) {
        assertThat(actual.runs()).isEqualTo(expected.runs());
        assertThat(actual.metrics()).isEqualTo(expected.metrics());
        assertThat(actual.ledgers()).isEqualTo(expected.ledgers());
        assertThat(actual.damagedLines()).isEqualTo(expected.damagedLines());
        actual.runs().forEach(run -> {
            assertThat(actual.events(run.runId())).isEqualTo(expected.events(run.runId()));
            assertThat(List.copyOf(run.eventRows()))
                    .isEqualTo(List.copyOf(expected.run(run.runId()).eventRows()));
        });
        List<Object> handedOver = new ArrayList<>();
        expected.read(expected.runs(), (run, events) -> handedOver.add(List.of(run, events)));
        List<Object> again = new ArrayList<>();
        actual.read(actual.runs(), (run, events) -> again.add(List.of(run, events)));
        assertThat(again).isEqualTo(handedOver);
    }

    private Journal indexed() {
        return Journal.open(directory, IndexCache.in(cacheFolder));
    }

    private void record(List<RunEvent> events) {
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            events.forEach(sink::onEvent);
            sink.onBatchEnd();
        }
    }

    /** Makes all files look as if they had been written a while ago, each at a time of its own. */
    private void settle() throws IOException {
        Instant ago = Instant.now().minus(Duration.ofHours(1));
        for (Path file : segments()) {
            if (Files.getLastModifiedTime(file).toInstant().isAfter(ago)) {
                Files.setLastModifiedTime(file, FileTime.from(ago.minusNanos(System.nanoTime() & 0xFFFFFFF)));
            }
        }
    }

    private List<Path> segments() throws IOException {
        return files(directory, "events-\\d+\\.jsonl(\\.zst)?");
    }

    private List<Path> indexes() {
        try {
            return files(cacheFolder, ".*\\.index");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Path> files(Path folder, String name) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.getFileName().toString().matches(name))
                    .sorted()
                    .toList();
        }
    }
}

package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.Journal;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.LineFile;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.SummaryFile;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** The journal on a disk that loses its power, at any moment and also after it has failed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CrashTest {
    private static final int CRASHES = Integer.getInteger("rlm.test.crashes", 200);
    private static final int GROUP = 100;

    // Always as long, since it stands in the lines: the same seed is the same crash. It is never made.
    private static final Path VIRTUAL = Path.of(System.getProperty("java.io.tmpdir"), "rlm-virtual");

    private final AtomicLong acknowledged = new AtomicLong();
    private Path root;

    /** In memory where there is such a folder: what is written here needs to survive nothing. */
    @BeforeAll
    void makeRoot() throws IOException {
        Path memory = Path.of("/dev/shm");
        root = Files.isDirectory(memory)
                ? Files.createTempDirectory(memory, "rlm-crash")
                : Files.createTempDirectory("rlm-crash");
    }

    @AfterAll
    void removeRoot() throws IOException {
        remove(root);
        assertThat(acknowledged.get()).as("acknowledged in all").isGreaterThan(CRASHES);
    }

    @TestFactory
    Stream<DynamicTest> whatIsAcknowledged_survives() {
        return Stream.iterate(0, seed -> seed < CRASHES, seed -> seed + GROUP)
                .map(from -> DynamicTest.dynamicTest("crashes from " + from, () -> {
                    for (int seed = from; seed < from + GROUP; seed++) {
                        crash(seed);
                    }
                }));
    }

    private void crash(int seed) throws IOException {
        Random random = new Random(seed);
        MemoryDisk disk = new MemoryDisk(random);
        disk.crashAfter(random.nextInt(random.nextBoolean() ? 40 : 400));
        disk.failureRate(random.nextInt(3) == 0 ? random.nextDouble() * 0.3 : 0);
        Recording recording = new Recording(random, disk, VIRTUAL);
        recording.recordUntilTheCrash();
        acknowledged.addAndGet(recording.acknowledged().size());

        Path left = Files.createDirectory(root.resolve("left-" + seed));
        disk.surviveTo(VIRTUAL, left);
        try {
            check(left, recording.acknowledged());
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        remove(left);
    }

    private static void check(Path left, List<Event> acknowledged) throws IOException {
        if (acknowledged.isEmpty() && JournalFolder.writers(left).isEmpty()) {
            return;
        }
        assertThat(Recovery.recover(left).problems()).isEmpty();
        Journal journal = Journal.open(left);
        Set<Event> read = new HashSet<>(journal.metrics());
        journal.read(journal.runs(), (run, events) -> read.addAll(events));
        assertThat(acknowledged.stream().filter(event -> !read.contains(event)))
                .as("acknowledged and lost")
                .isEmpty();
        assertThat(journal.runs().stream().filter(run -> run.end() == null))
                .as("runs without an end")
                .isEmpty();
        assertThat(summaries(left))
                .as("runs in runs.jsonl")
                .containsExactlyInAnyOrderElementsOf(
                        journal.runs().stream().map(run -> run.run().runId()).toList());
    }

    /** The ids on all lines that are whole: one that lost nothing but its line feed is given that, and not written again. */
    private static List<String> summaries(Path left) throws IOException {
        List<String> runs = new ArrayList<>();
        for (Path writer : JournalFolder.writers(left)) {
            LineFile.read(writer.resolve(JournalFolder.SUMMARIES), (bytes, from, length) -> {
                if (SummaryFile.wholeEnd(bytes, from, from + length) == from + length) {
                    runs.add(Fields.parse(bytes, from, length).text("run_id"));
                }
            });
        }
        return runs;
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Some runs at a time, with their events in groups of any size. */
    private static final class Recording {
        private final Random random;
        private final JsonlSink sink;
        private final Set<Event> offered = new LinkedHashSet<>();
        private final List<List<RunEvent>> open = new ArrayList<>();
        private long now;
        private int runs;

        Recording(Random random, MemoryDisk disk, Path directory) {
            this.random = random;
            this.sink = JsonlSink.builder()
                    .directory(directory)
                    .fsync(random.nextBoolean() ? Fsync.BATCH : Fsync.RUN)
                    .rotateSize(1_000 << random.nextInt(7))
                    .compress(random.nextBoolean())
                    .disk(disk)
                    .nanoTime(() -> now += 50_000_000)
                    .background(Runnable::run)
                    .build();
        }

        void recordUntilTheCrash() {
            try {
                while (offered.size() < 5_000) {
                    event();
                    if (random.nextInt(6) == 0) {
                        batchEnd();
                    }
                }
                sink.close();
            } catch (MemoryDisk.Crash e) {
                // as it must come
            } catch (UncheckedIOException e) {
                // the disk fails so often that it is gone before the power is
            }
        }

        private void event() {
            Event event = random.nextInt(20) == 0 ? metrics() : next();
            offered.add(event);
            sink.onEvent(event);
        }

        private Event metrics() {
            return new MetricsReported(
                    SampleEvents.START, "trainer", "step", Map.of("step", (double) offered.size(), "loss", 0.5));
        }

        private RunEvent next() {
            if (open.isEmpty() || (open.size() < 4 && random.nextInt(5) == 0)) {
                open.add(new ArrayList<>(events("run-" + ++runs)));
            }
            List<RunEvent> run = open.get(random.nextInt(open.size()));
            RunEvent event = run.remove(0);
            if (run.isEmpty()) {
                open.remove(run);
            }
            return event;
        }

        private List<RunEvent> events(String runId) {
            return random.nextInt(4) == 0
                    ? SampleEvents.rich(runId, "text ".repeat(random.nextInt(200)))
                    : SampleEvents.bare(runId);
        }

        private void batchEnd() {
            try {
                sink.onBatchEnd();
            } catch (RuntimeException e) {
                assertThat(e).hasCauseInstanceOf(IOException.class);
            }
        }

        /** None is given up before the close, so that they are the first ones. */
        List<Event> acknowledged() {
            return offered.stream().limit(sink.acknowledged().delivered()).toList();
        }
    }
}

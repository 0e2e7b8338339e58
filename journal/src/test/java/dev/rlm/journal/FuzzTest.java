package dev.rlm.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.StrictJson;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.Fsync;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A million events full of hostile values through the real sink into real files: each line is strict JSON to another
 * reader, a share of them is compared with what that reads and checked against the schema, and all events come back equal.
 * A failure names the seed; {@code -Dfuzz.seed} repeats it, {@code -Dfuzz.events} asks for more.
 */
class FuzzTest {
    private static final long SEED = Long.getLong("fuzz.seed", 1);
    private static final long EVENTS = Long.getLong("fuzz.events", 50_000);
    private static final long RUN = 25;
    private static final long RUNS = 1_000; // of a journal
    private static final int COMPARED = 4; // every so many lines
    private static final int CHECKED = 1_000; // likewise

    private final JournalSchema events = JournalSchema.strict("journal.schema.json");
    private final JournalSchema summaries = JournalSchema.strict("runs.schema.json");

    @TempDir
    Path directory;

    @Tag("thorough")
    @Tag("smoke")
    @Test
    void events_ofAllKinds_comeBackEqual() {
        LongStream.range(0, (EVENTS + RUN * RUNS - 1) / (RUN * RUNS))
                .map(journal -> SEED + journal * RUNS)
                .parallel()
                .forEach(this::check);
    }

    private void check(long seed) {
        try {
            check(directory.resolve("journal" + seed), seed);
        } catch (RuntimeException | IOException | AssertionError e) {
            throw new AssertionError("-Dfuzz.seed=" + seed + " -Dfuzz.events=1 fails", e);
        }
    }

    private void check(Path journal, long seed) throws IOException {
        record(journal, seed);
        assertSameForAnotherReader(journal);
        assertComesBackEqual(Journal.open(journal), seed);
        try (var files = Files.walk(journal)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void record(Path journal, long seed) {
        try (JsonlSink sink =
                JsonlSink.builder().directory(journal).fsync(Fsync.NEVER).build()) {
            for (long run = seed; run < seed + RUNS; run++) {
                HostileRun.events(run, (int) RUN, false).forEach(sink::onEvent);
                sink.onEvent(HostileRun.metrics(run, false));
            }
        }
    }

    private void assertSameForAnotherReader(Path journal) throws IOException {
        for (Path writer : WriterFolders.existing(journal)) {
            for (Segment segment : Segment.of(writer)) {
                int[] lines = {0};
                segment.read(0, (bytes, from, length) -> assertSame(bytes, from, length, events, lines[0]++));
            }
            for (String line : Files.readAllLines(writer.resolve(JournalFolder.SUMMARIES))) {
                byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
                assertSame(bytes, 0, bytes.length, summaries, line.hashCode());
            }
        }
    }

    private static void assertSame(byte[] bytes, int from, int length, JournalSchema schema, int number) {
        String line = new String(bytes, from, length, StandardCharsets.UTF_8);
        try {
            Object read = StrictJson.parse(line);
            if (number % COMPARED == 0) {
                Object own = Fields.parse(bytes, from, length).values();
                assertThat(StrictJson.rounded(read)).isEqualTo(StrictJson.rounded(own));
            }
        } catch (IOException e) {
            throw new AssertionError("not JSON: " + line, e);
        }
        if (number % CHECKED == 0) {
            assertThat(schema.errors(line)).as(line).isEmpty();
        }
    }

    private static void assertComesBackEqual(Journal journal, long seed) {
        Map<String, Long> seeds = new HashMap<>();
        List<MetricsReported> metrics = new ArrayList<>();
        for (long run = seed; run < seed + RUNS; run++) {
            seeds.put(HostileRun.events(run, 2, true).get(0).run().runId(), run);
            metrics.add(HostileRun.metrics(run, true));
        }
        assertThat(journal.damagedLines()).isZero();
        long damaged = journal.read(journal.runs(), (run, read) -> {
            Long known = Objects.requireNonNull(seeds.remove(run.run().runId()), "an unknown run");
            List<RunEvent> expected = HostileRun.events(known, (int) RUN, true);
            assertThat(read).as("run %s", known).hasSameSizeAs(expected);
            for (int i = 0; i < expected.size(); i++) {
                assertEqual(read.get(i), expected.get(i));
            }
        });
        assertThat(damaged).isZero();
        assertThat(seeds).isEmpty();
        assertThat(journal.metrics()).isEqualTo(metrics);
    }

    private static void assertEqual(RunEvent read, RunEvent expected) {
        if (!read.equals(expected)) {
            assertThat(JournalJson.event(read)).isEqualTo(JournalJson.event(expected)); // shows the difference
            assertThat(read).isEqualTo(expected);
        }
    }
}

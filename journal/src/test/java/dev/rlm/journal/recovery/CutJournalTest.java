package dev.rlm.journal.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.Journal;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.LineHead;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.SampleEvents;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A journal that is cut at every byte, as a killed writer or a loss of power leaves it, and then recovered. */
@Timeout(300)
class CutJournalTest {
    private static final String EVENTS = "events-1.jsonl";

    @TempDir(factory = InMemory.class)
    private Path directory;

    /** In memory where the system has such a folder: tens of thousands of recoveries sync hundreds of thousands of times. */
    static final class InMemory implements TempDirFactory {
        private static final Path MEMORY = Path.of("/dev/shm");

        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
                throws IOException {
            return Files.isWritable(MEMORY)
                    ? Files.createTempDirectory(MEMORY, "rlm")
                    : Files.createTempDirectory("rlm");
        }
    }

    /** What stands behind the cut. */
    enum Behind {
        NOTHING(""),
        NULS("\0".repeat(100)),
        GARBAGE("\u0007\u00ff\u0080{\"x\""),
        GARBAGE_WITH_LINE_FEEDS("\u00e9}\n\n{\"type\":\"\n\"}\n\0\n{}\nnull\n"),
        GARBAGE_IN_A_LINE(",\"more\":[1,\n");

        private final String text;

        Behind(String text) {
            this.text = text;
        }

        byte[] bytes() {
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource
    void journal_cutAtEveryByte_losesNoWholeLine(Behind behind) throws IOException {
        Path folder = record();
        byte[] whole = Files.readAllBytes(folder.resolve(EVENTS));
        byte[] summaries = Files.readAllBytes(folder.resolve(JournalFolder.SUMMARIES));
        for (int cut : cuts(whole, behind)) {
            restore(folder, EVENTS, cut(whole, cut, behind), JournalFolder.SUMMARIES, summaries);
            Set<String> lines = wholeLines(whole, cut);

            Recovered recovered = Recovery.recover(directory);

            String where = "cut at " + cut;
            byte[] after = Files.readAllBytes(folder.resolve(EVENTS));
            assertThat(recovered.problems()).as(where).isEmpty();
            assertThat(recovered.damagedLines()).as(where).isZero();
            assertThat(wholeLines(after, after.length)).as(where).isEqualTo(lines);
            assertThat(after.length == 0 || after[after.length - 1] == '\n')
                    .as(where)
                    .isTrue();
            assertThat(kept(folder, "events-1.torn")).as(where).isEqualTo(behindWhole(cut(whole, cut, behind), after));
            assertRecovered(folder, where);
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource
    void endedRuns_cutAtEveryByte_areEachSummedUpOnce(Behind behind) throws IOException {
        Path folder = record();
        byte[] events = Files.readAllBytes(folder.resolve(EVENTS));
        byte[] whole = Files.readAllBytes(folder.resolve(JournalFolder.SUMMARIES));
        for (int cut : cuts(whole, behind)) {
            restore(folder, EVENTS, events, JournalFolder.SUMMARIES, cut(whole, cut, behind));

            Recovered recovered = Recovery.recover(directory);

            String where = "cut at " + cut;
            assertThat(recovered.problems()).as(where).isEmpty();
            assertThat(summarized(folder)).as(where).containsExactlyInAnyOrder("ended", "late", "open");
            assertRecovered(folder, where);
        }
    }

    /** Its lines can all be read, each run has an end, and a second recovery changes nothing. */
    private void assertRecovered(Path folder, String where) throws IOException {
        Journal journal = Journal.open(directory);
        assertThat(journal.damagedLines()).as(where).isZero();
        assertThat(journal.runs()).as(where).allMatch(run -> run.end() != null);
        assertThat(journal.read(
                        journal.runs(),
                        (run, events) -> assertThat(events)
                                .as(where)
                                .extracting(RunEvent::seq)
                                .isSorted()
                                .doesNotHaveDuplicates()))
                .as(where)
                .isZero();
        Map<String, String> before = contents(folder);
        assertThat(Recovery.recover(directory).isNothing()).as(where).isTrue();
        assertThat(contents(folder)).as(where).isEqualTo(before);
        if (Math.floorMod(where.hashCode(), 16) > 0) {
            return;
        }
        Files.delete(folder.resolve(JournalFolder.RECOVERY)); // as if the recovery had been killed before its last word
        Recovered again = Recovery.recover(directory);
        assertThat(again.runs()).as(where).isZero();
        assertThat(again.setAside()).as(where).isEmpty();
        before.remove(JournalFolder.RECOVERY);
        assertThat(contents(folder)).as(where).containsAllEntriesOf(before);
    }

    @Test
    void notes_cutAtEveryByte_areMadeAgain() throws IOException {
        Path folder = record();
        Recovery.recover(directory);
        Path notes = folder.resolve(JournalFolder.RECOVERY);
        byte[] whole = Files.readAllBytes(notes);
        Map<String, String> before = contents(folder);
        before.remove(JournalFolder.RECOVERY);
        for (int cut = 0; cut < whole.length - 1; cut++) {
            Files.write(notes, Arrays.copyOf(whole, cut));
            Files.deleteIfExists(folder.resolve("recovery.torn"));
            assertThat(Recovery.recover(directory).problems()).isEmpty();
            assertThat(Files.readAllLines(notes)).singleElement().asString().contains("ends_written");
            assertThat(kept(folder, "recovery.torn")).isEqualTo(Arrays.copyOf(whole, cut));
            assertThat(contents(folder)).containsAllEntriesOf(before);
        }
    }

    @Test
    void secondTail_isKeptBesideTheFirst() throws IOException {
        Path folder = record();
        append(folder, "first");
        Recovery.recover(directory);
        append(folder, "second");
        Files.delete(folder.resolve(JournalFolder.RECOVERY));
        Recovered again = Recovery.recover(directory);
        assertThat(again.setAside())
                .containsExactly(new Recovered.SetAside(folder.resolve("events-1.2.torn"), "second".length()));
        assertThat(folder.resolve("events-1.torn")).hasContent("first");
        assertThat(folder.resolve("events-1.2.torn")).hasContent("second");
    }

    @Test
    void tail_thatWasKeptAndNotYetCut_isNotKeptTwice() throws IOException {
        Path folder = record();
        append(folder, "tail");
        Files.writeString(folder.resolve("events-1.torn"), "tail");
        Files.writeString(folder.resolve("events-1.torn.tmp"), "ta");
        assertThat(Recovery.recover(directory).setAside())
                .containsExactly(new Recovered.SetAside(folder.resolve("events-1.torn"), 4));
        assertThat(folder.resolve("events-1.2.torn")).doesNotExist();
    }

    @Test
    void longTail_isSetAside() throws IOException {
        Path folder = record();
        byte[] before = Files.readAllBytes(folder.resolve(EVENTS));
        append(folder, "no\nline ".repeat(100_000));
        append(folder, "\0".repeat(5_000_000));
        Recovered recovered = Recovery.recover(directory);
        assertThat(recovered.setAside()).extracting(Recovered.SetAside::bytes).containsExactly(5_800_000L);
        assertThat(Files.readAllBytes(folder.resolve(EVENTS))).isEqualTo(before);
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void whatIsKept_isReadByItsOwnerAlone() throws IOException {
        Path folder = record();
        append(folder, "tail");
        Recovery.recover(directory);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("events-1.torn"))))
                .isEqualTo("rw-------");
    }

    private static void append(Path folder, String text) throws IOException {
        Path file = folder.resolve(EVENTS);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(Files.readAllBytes(file));
        bytes.write(text.getBytes(StandardCharsets.UTF_8));
        Files.write(file, bytes.toByteArray());
    }

    /** Several runs: one that ended, one with a reward after its end, one without an end. */
    private Path record() {
        List<RunEvent> ended = SampleEvents.rich("ended", "é");
        List<RunEvent> late = new ArrayList<>(SampleEvents.bare("late"));
        late.add(SampleEvents.reward(late.get(0).run(), 7));
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            Stream.of(
                            ended.stream(),
                            late.stream(),
                            SampleEvents.rich("open", "x").stream().limit(3))
                    .flatMap(events -> events)
                    .forEach(sink::onEvent);
            sink.onBatchEnd();
            return Path.of(sink.location("").orElseThrow());
        }
    }

    /** Every byte for a clean cut; else those around the ends of lines and some others, unless all are asked for. */
    private static int[] cuts(byte[] whole, Behind behind) {
        boolean all = behind == Behind.NOTHING || Boolean.getBoolean("rlm.test.thorough");
        return IntStream.rangeClosed(0, whole.length)
                .filter(cut -> all || cut % 23 == 0 || isNearLineEnd(whole, cut))
                .toArray();
    }

    private static boolean isNearLineEnd(byte[] whole, int cut) {
        return IntStream.rangeClosed(cut - 2, cut + 1)
                .anyMatch(at -> at >= 0 && at < whole.length && whole[at] == '\n');
    }

    private static byte[] cut(byte[] whole, int cut, Behind behind) {
        byte[] more = behind.bytes();
        byte[] bytes = Arrays.copyOf(whole, cut + more.length);
        System.arraycopy(more, 0, bytes, cut, more.length);
        return bytes;
    }

    private static void restore(Path folder, String one, byte[] ofOne, String other, byte[] ofOther)
            throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(path -> !path.endsWith("lock")).toList()) {
                Files.delete(file);
            }
        }
        Files.write(folder.resolve(one), ofOne);
        Files.write(folder.resolve(other), ofOther);
    }

    /** The lines before a place that are whole, also without their line feed. */
    private static Set<String> wholeLines(byte[] bytes, int to) {
        return new String(bytes, 0, to, StandardCharsets.UTF_8)
                .lines()
                .filter(CutJournalTest::isWhole)
                .collect(Collectors.toSet());
    }

    private static boolean isWhole(String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        return LineHead.of(bytes, 0, bytes.length) != null;
    }

    /** What was cut off: all behind what is left, whose last line feed may have been added. */
    private static byte[] behindWhole(byte[] before, byte[] after) {
        boolean added = after.length > before.length || (after.length > 0 && before[after.length - 1] != '\n');
        return Arrays.copyOfRange(
                before, Math.min(before.length, added ? after.length - 1 : after.length), before.length);
    }

    private static byte[] kept(Path folder, String name) throws IOException {
        Path file = folder.resolve(name);
        return Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    }

    private static List<String> summarized(Path folder) throws IOException {
        return Files.readAllLines(folder.resolve(JournalFolder.SUMMARIES)).stream()
                .map(line -> line.getBytes(StandardCharsets.UTF_8))
                .map(line -> Fields.parse(line, 0, line.length).text("run_id"))
                .toList();
    }

    private static Map<String, String> contents(Path folder) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(path -> !path.endsWith("lock")).toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return contents;
    }
}

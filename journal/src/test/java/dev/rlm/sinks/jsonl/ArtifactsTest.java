package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.journal.Journal;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.recovery.Replay;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.ArtifactSaved;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of runs in the journal. */
@Timeout(60)
class ArtifactsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final FaultyDisk disk = new FaultyDisk();

    @TempDir
    Path directory;

    @TempDir
    Path copy;

    private JsonlSink.Builder sink() {
        return JsonlSink.builder().directory(directory).disk(disk).background(Runnable::run);
    }

    private static Sinks sinks(JsonlSink sink) {
        return Sinks.builder().add("jsonl", sink).build();
    }

    private static void run(Sinks sinks, String... texts) {
        try (Run run = sinks.startRun(RunSpec.builder("env").build())) {
            for (String text : texts) {
                run.artifact("name.txt", "text/plain", text.getBytes(StandardCharsets.UTF_8));
            }
            run.complete("");
        }
        assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
    }

    private Path folder() throws IOException {
        return JournalFolder.writers(directory).get(0).resolve("artifacts");
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private List<ArtifactSaved> recorded() {
        Journal journal = Journal.open(directory);
        return journal.runs().stream()
                .flatMap(run -> journal.events(run.run().runId()).stream())
                .filter(ArtifactSaved.class::isInstance)
                .map(ArtifactSaved.class::cast)
                .toList();
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void file_liesBesideTheLinesUnderItsHash_once_andForItsOwnerAlone() throws IOException {
        JsonlSink sink = sink().build();
        Sinks sinks = sinks(sink);
        run(sinks, "one", "two", "one");
        run(sinks, "two");
        assertThat(files(folder())).containsExactlyInAnyOrder(sha256("one"), sha256("two"));
        assertThat(folder().resolve(sha256("one"))).hasContent("one");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder().resolve(sha256("one")))))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder())))
                .isEqualTo("rwx------");
        assertThat(sink.status().facts()).containsEntry("artifacts", 4L).containsEntry("artifact_bytes", 6L);
        sinks.close();
        assertThat(recorded())
                .extracting(ArtifactSaved::name, ArtifactSaved::size, ArtifactSaved::sha256, ArtifactSaved::path)
                .hasSize(4)
                .containsOnly(
                        tuple("name.txt", 3L, sha256("one"), "artifacts/" + sha256("one")),
                        tuple("name.txt", 3L, sha256("two"), "artifacts/" + sha256("two")));
    }

    @Test
    void file_isSyncedBeforeItsLine() throws IOException {
        Sinks sinks = sinks(sink().build());
        List<String> linesAtItsSync = new ArrayList<>();
        disk.fault((what, file) -> {
            if (what.equals("sync") && file.endsWith(sha256("one") + ".tmp")) {
                Path lines = file.resolveSibling("../events-1.jsonl");
                linesAtItsSync.add(Files.exists(lines) ? Files.readString(lines) : "");
            }
        });
        run(sinks, "one");
        sinks.close();
        assertThat(linesAtItsSync).singleElement().asString().doesNotContain("name.txt");
        assertThat(folder().resolveSibling("events-1.jsonl")).content().contains("name.txt");
    }

    @Test
    void fileThatTheDiskDoesNotTake_isToldAndCounted_andItsEventIsNotLost() throws IOException {
        JsonlSink sink = sink().build();
        Sinks sinks = sinks(sink);
        disk.fault((what, file) -> {
            if (what.equals("append") && file.getFileName().toString().startsWith(sha256("one"))) {
                throw new IOException("No space left on device");
            }
        });
        run(sinks, "one", "two");
        sinks.close();
        assertThat(files(folder())).containsExactly(sha256("two"));
        assertThat(recorded()).extracting(ArtifactSaved::absence).containsExactly("disk_full", null);
        assertThat(recorded().get(0).sha256()).isEqualTo(sha256("one"));
        assertThat(sink.status().facts()).containsEntry("artifacts_disk_full", 1L);
        assertThat(sinks.statuses().get(0).ledger().dropped()).isEmpty();
    }

    @Test
    void fileThatWasNotRead_isCounted() {
        JsonlSink sink = sink().build();
        Sinks sinks = sinks(sink);
        try (Run run = sinks.startRun(RunSpec.builder("env").build())) {
            run.artifact(directory.resolve("missing"));
        }
        sinks.close();
        assertThat(sink.status().facts()).containsEntry("artifacts_unreadable", 1L);
        assertThat(recorded()).extracting(ArtifactSaved::absence).containsExactly("unreadable");
    }

    @Test
    void folderThatIsASymbolicLink_takesNothing() throws IOException {
        JsonlSink sink = sink().build();
        Sinks sinks = sinks(sink);
        run(sinks);
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.createSymbolicLink(folder(), elsewhere);
        run(sinks, "one");
        sinks.close();
        assertThat(files(elsewhere)).isEmpty();
        assertThat(recorded()).extracting(ArtifactSaved::absence).containsExactly("folder_gone");
    }

    // ---- retention

    @Tag("thorough")
    @Test
    void files_goWithTheLastSegmentThatNamesThem() throws IOException {
        JsonlSink sink =
                sink().rotateSize(10_000).compress(false).keepSize(60_000).build();
        Sinks sinks = sinks(sink);
        for (int i = 0; i < 200; i++) {
            run(sinks, "often", "once " + i);
        }
        List<String> left = files(folder());
        assertThat(left).contains(sha256("often"), sha256("once 199")).doesNotContain(sha256("once 0"));
        assertThat(left).hasSizeLessThan(150);
        sinks.close();
        assertThat(recorded()).isNotEmpty().allSatisfy(file -> assertThat(left).contains(file.sha256()));
    }

    @Test
    void journalThatIsTooLargeByItsFiles_losesTheOldest_andNotAll() throws IOException {
        JsonlSink sink =
                sink().rotateSize(10_000).compress(false).keepSize(200_000).build();
        Sinks sinks = sinks(sink);
        for (int i = 0; i < 60; i++) {
            run(sinks, ("" + i).repeat(5_000));
        }
        sinks.close();
        long bytes = 0;
        for (String file : files(folder())) {
            bytes += Files.size(folder().resolve(file));
        }
        assertThat(bytes).isBetween(50_000L, 260_000L);
        assertThat(files(folder())).contains(sha256("59".repeat(5_000)));
        assertThat(recorded()).allSatisfy(file -> assertThat(files(folder())).contains(file.sha256()));
    }

    @Test
    void filesOfAWriterThatEnded_goWithItsFolder_andWhatIsNotTheJournalsStays() throws IOException {
        Sinks ended = sinks(sink().build());
        run(ended, "one");
        ended.close();
        Path folder = folder();
        Files.writeString(folder.resolve("mine"), "x");
        try (Stream<Path> files = Files.walk(folder.getParent())) {
            for (Path file : files.toList()) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(8))));
            }
        }
        Sinks next = sinks(sink().keepAge(Duration.ofDays(7)).build());
        run(next, "two");
        next.close();
        assertThat(files(folder)).containsExactly("mine");
        assertThat(files(Objects.requireNonNull(folder.getParent()))).containsExactly("artifacts");
    }

    // ---- resending

    @Test
    void runsThatAreSentAgain_bringTheirFiles() throws IOException {
        Sinks sinks = sinks(sink().build());
        run(sinks, "one");
        sinks.close();
        Sinks resending = Sinks.builder()
                .resending()
                .add("jsonl", JsonlSink.builder().directory(copy).build())
                .build();
        Replay.of(directory).sendTo(resending, ended -> {});
        resending.close();
        Path writer = JournalFolder.writers(copy).get(0);
        assertThat(writer.resolve("artifacts").resolve(sha256("one"))).hasContent("one");
    }

    @Test
    void fileThatIsMissingOrChanged_isToldWhenItIsSentAgain() throws IOException {
        Sinks sinks = sinks(sink().build());
        run(sinks, "one", "two");
        sinks.close();
        Files.delete(folder().resolve(sha256("one")));
        Files.writeString(folder().resolve(sha256("two")), "longer");
        Sinks resending = Sinks.builder()
                .resending()
                .add("jsonl", JsonlSink.builder().directory(copy).build())
                .build();
        Replay.of(directory).sendTo(resending, ended -> {});
        resending.close();
        directory = copy;
        assertThat(recorded()).extracting(ArtifactSaved::absence).containsExactly("missing", "damaged");
        assertThat(recorded().get(0).sha256()).isEqualTo(sha256("one"));
    }
}

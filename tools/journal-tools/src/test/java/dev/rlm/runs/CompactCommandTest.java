package dev.rlm.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command that merges the folders of processes that have ended. */
class CompactCommandTest {
    @TempDir
    private Path directory;

    private Recorded recorded;

    @BeforeEach
    void record() {
        recorded = new Recorded(directory);
        for (String id : new String[] {"aa-1", "aa-2", "bb-1"}) {
            recorded.record(
                    Recorded.spec(id)
                            .correlation(Recorded.ids("sample-" + id.charAt(0), "r", "test"))
                            .build(),
                    Recorded::solve);
        }
    }

    @Test
    void commands_tellTheSameBeforeAndAfter() throws IOException {
        List<String> before = told();

        Cli compacted = compact();

        assertThat(compacted.err()).isEmpty();
        assertThat(compacted.exitCode()).isZero();
        assertThat(compacted.lines()).hasSize(2).first().isEqualTo("merged   3 folders");
        assertThat(compacted.lines().get(1)).startsWith("into     " + directory).endsWith("-merged");
        assertThat(folders()).hasSize(1);
        assertThat(told()).isEqualTo(before);
        assertThat(compact().out()).isEqualTo("merged   nothing\n");
    }

    @Test
    void dryRun_saysWhatWouldBeMerged_andChangesNothing() throws IOException {
        List<Path> before = folders();
        try (Sinks sinks = recorded.open();
                Run run = sinks.startRun(Recorded.spec("live").build())) {
            assertThat(sinks.flush(Duration.ofMinutes(1)).isComplete()).isTrue();
            assertThat(compact("--dry-run").lines())
                    .containsExactly("merge    3 folders", "left     1 folder: a process still writes there");
            assertThat(folders()).hasSize(4).containsAll(before);
            assertThat(compact("--json").out().replace(" ", ""))
                    .contains("\"folders\":3", "\"living\":1", "\"interrupted\":false", "\"problems\":[]");
            run.complete("");
        }
        assertThat(recorded.list().out()).contains("live", "4 of 4 runs");
    }

    @Test
    void indexes_ofFoldersThatAreGone_goToo() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
            }
        }
        Path index = directory.resolveSibling(directory.getFileName() + "-index");
        recorded.list("--index", index.toString());
        assertThat(index.toFile().list()).hasSize(4); // and the time of the last sweep

        assertThat(compact("--index", index.toString()).exitCode()).isZero();

        assertThat(index.toFile().list()).hasSize(1);
        assertThat(recorded.list("--index", index.toString()).out()).contains("3 of 3 runs");
        assertThat(index.toFile().list()).hasSize(2);
    }

    @Test
    void folderThatCannotBeMerged_isTold_andTheOthersAre() throws IOException {
        Path damaged = folders().get(0).resolve("events-1.jsonl");
        Files.writeString(damaged, "{\"type\":\"journal\",\"schema\":\"rlm.journal\",\"version\":99}\n");
        Cli compacted = compact();
        assertThat(compacted.exitCode()).isEqualTo(1);
        assertThat(compacted.lines()).first().isEqualTo("merged   2 folders");
        assertThat(compacted.err()).contains(damaged.getParent() + " is not merged", "newer version");
        assertThat(folders()).hasSize(2);
        Files.writeString(damaged.resolveSibling("notes.txt"), "mine");
        assertThat(compact().exitCode()).isZero();
        assertThat(compact().lines()).last().asString().startsWith("left     " + damaged.getParent() + ": notes.txt");
    }

    @Test
    void journalThatIsNone_isAnErrorOfUse() {
        Cli none = Cli.with(
                Map.of(), "compact", "--journal", directory.resolve("none").toString());
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("there is no journal at");
        assertThat(Cli.with(Map.of(), "compact", "--help").out()).contains("--dry-run", "--json", "--journal");
    }

    private List<String> told() {
        return Stream.of(
                        recorded.list("--json"),
                        recorded.show("aa-2"),
                        recorded.run("report", "--json"),
                        recorded.run("export", "--format", "csv"))
                .map(result -> result.exitCode() + result.out().replaceAll(directory + "/[^\"]*", "-") + result.err())
                .toList();
    }

    private Cli compact(String... options) {
        return recorded.run("compact", options);
    }

    private List<Path> folders() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return new ArrayList<>(all.filter(Files::isDirectory).sorted().toList());
        }
    }
}

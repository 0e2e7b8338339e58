package dev.rlm.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command that deletes runs. */
class DeleteCommandTest {
    @TempDir
    private Path directory;

    private Recorded recorded;

    @BeforeEach
    void record() {
        recorded = new Recorded(directory);
        recordEach("aa-1", "aa-2", "bb-1");
    }

    /** Each in a folder of its own, while the one before is held. */
    private void recordEach(String... ids) {
        if (ids.length > 0) {
            try (Sinks sinks = recorded.open();
                    Run run = sinks.startRun(Recorded.spec(ids[0])
                            .correlation(Recorded.ids("sample-" + ids[0].charAt(0), "r", "test"))
                            .build())) {
                Recorded.solve(run);
                sinks.flush(Duration.ofMinutes(1));
                recordEach(Arrays.copyOfRange(ids, 1, ids.length));
            }
        }
    }

    @Test
    void runs_areNamedLikeThoseThatAreShown() {
        Cli deleted = delete("aa-1", "b", "last", "--yes");
        assertThat(deleted.err()).isEmpty();
        assertThat(deleted.exitCode()).isZero();
        assertThat(deleted.out())
                .startsWith("deleted  2 runs: ")
                .contains(" lines in 2 folders, 0 kept files")
                .endsWith("beyond   what was sent to other sinks, exported or copied is to be deleted there\n");
        assertThat(recorded.list().out()).contains("aa-2", "1 of 1 runs").doesNotContain("aa-1", "bb-1", "damaged");
        assertThat(delete("aa-1", "--yes").err()).contains("no run 'aa-1'");
    }

    @Test
    void runs_areChosenByTheOptionsOfTheList() {
        assertThat(delete("--sample", "sample-a", "--yes", "--json").out().replace(" ", ""))
                .contains("\"runs\":[\"aa-1\",\"aa-2\"]", "\"deleted\":true", "\"folders\":2", "\"problems\":[]");
        assertThat(recorded.list().out()).contains("bb-1", "1 of 1 runs");
        assertThat(delete("--sample", "sample-a", "--yes").out()).isEqualTo("no run to delete\n");
    }

    @Test
    void indexes_nameTheRunsNoMore() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
            }
        }
        Path index = directory.resolveSibling(directory.getFileName() + "-index");
        recorded.list("--index", index.toString());
        assertThat(texts(index)).anyMatch(text -> text.contains("aa-1"));

        assertThat(delete("aa-1", "--yes", "--index", index.toString()).exitCode())
                .isZero();

        assertThat(texts(index)).isNotEmpty().noneMatch(text -> text.contains("aa-1"));
        assertThat(recorded.list("--index", index.toString()).out()).contains("aa-2", "bb-1", "2 of 2 runs");
    }

    private static List<String> texts(Path folder) throws IOException {
        List<String> texts = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                texts.add(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return texts;
    }

    @Test
    void dryRun_saysWhichRuns_andChangesNothing() throws IOException {
        Map<Path, String> before = contents();
        Cli told = delete("--sample", "sample-a", "--dry-run");
        assertThat(told.exitCode()).isZero();
        assertThat(told.lines().get(0)).isEqualTo("runs     2: aa-1, aa-2");
        assertThat(told.lines().get(1)).startsWith("folders  2: " + directory);
        assertThat(contents()).isEqualTo(before);
    }

    @Test
    void nothingChosen_orTwice_orNobodyToAsk_isRefused_andNothingIsDeleted() throws IOException {
        Map<Path, String> before = contents();
        assertThat(delete("--yes"))
                .isEqualTo(
                        refused("no run is chosen: name runs, or give an option that chooses some, such as --sample"));
        assertThat(delete("aa-1", "--sample", "x", "--yes"))
                .isEqualTo(refused("runs are named, and chosen by options as well: give one of the two"));
        assertThat(delete("a", "--yes").err()).startsWith("rlm: 'a' fits 2 runs: aa-1, aa-2");
        assertThat(delete("aa-1"))
                .isEqualTo(
                        refused("there is no terminal to ask at: --yes deletes 1 run for good, --dry-run says which"));
        assertThat(contents()).isEqualTo(before);
    }

    private static Cli refused(String why) {
        return new Cli(2, "", "rlm: " + why + "\n");
    }

    @Test
    void runThatGoesOn_isRefused_andTheOthersGo() {
        delete("aa-1", "aa-2", "bb-1", "--yes");
        try (Sinks sinks = recorded.open();
                Run run = sinks.startRun(Recorded.spec("aa-3").build())) {
            recordEach("aa-1");
            assertThat(sinks.flush(Duration.ofMinutes(1)).isComplete()).isTrue();
            Cli deleted = delete("aa-3", "aa-1", "--yes");
            assertThat(deleted.exitCode()).isEqualTo(1);
            assertThat(deleted.out()).startsWith("deleted  1 run: ");
            assertThat(deleted.err())
                    .startsWith("rlm: 1 run not deleted, as a process still writes there: aa-3 in [" + directory)
                    .endsWith("]; try again when it has ended\n");
            run.complete("");
        }
        assertThat(delete("aa-3", "--yes").exitCode()).isZero();
    }

    @Test
    void program_hasTheVerb() {
        Cli help = Cli.with(Map.of(), "delete", "--help");
        assertThat(help.out()).contains("for good", "--dry-run", "--yes", "--sample");
    }

    private Cli delete(String... options) {
        return recorded.run("delete", options);
    }

    private Map<Path, String> contents() throws IOException {
        Map<Path, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(file, Files.readString(file));
            }
        }
        return contents;
    }
}

package dev.rlm.engine.spark.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.cli.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalFramesTest {
    private static SparkSession spark;

    @TempDir
    private Path folder;

    @BeforeAll
    static void startSpark() {
        spark = TestJournal.spark();
    }

    @AfterAll
    static void stopSpark() throws IOException {
        spark.close();
    }

    @Test
    void frames_ofRunsOfTheProgram_areTheTablesOfTheirExport() {
        TestJournal journal = new TestJournal(folder.resolve("journal"));
        journal.command("run", "--samples", "3", "--rollouts", "2");

        assertSameFrames(journal);
        assertThat(open(journal.folder()).runs().count()).isEqualTo(6);
    }

    /** A reward that the other writer records after a run's end is in the run's row. */
    @Test
    void frames_ofSeveralWriters_areTheTablesOfTheirExport() throws IOException {
        TestJournal journal = new TestJournal(folder.resolve("journal"));
        journal.record(1, 60);
        journal.recordAbandoned();

        assertSameFrames(journal);
        JournalFrames frames = open(journal.folder());
        assertThat(frames.rewards().where("late").count()).isPositive();
        assertThat(frames.runs().where("outcome = 'abandoned'").count()).isEqualTo(1);
    }

    private void assertSameFrames(TestJournal journal) {
        JournalFrames exported = open(journal.export(folder.resolve("tables")));
        JournalFrames frames = open(journal.folder());
        assertThat(frames.runs().schema()).isEqualTo(exported.runs().schema());
        assertThat(rows(frames.runs())).isEqualTo(rows(exported.runs())).isNotEmpty();
        assertThat(rows(frames.steps())).isEqualTo(rows(exported.steps())).isNotEmpty();
        assertThat(rows(frames.rewards())).isEqualTo(rows(exported.rewards())).isNotEmpty();
        String[] summary = {"reward", "steps", "duration_s", "tags", "model_calls", "input_tokens", "failed_tool_calls"
        };
        assertThat(rows(frames.runs().select("run_id", summary)))
                .isEqualTo(rows(exported.runs().select("run_id", summary)));
    }

    private static JournalFrames open(Path... folders) {
        return JournalFrames.open(spark, folders);
    }

    private static List<String> rows(Dataset<Row> frame) {
        return frame.collectAsList().stream().map(Row::toString).sorted().toList();
    }

    @Test
    void folder_mayHaveManyJournalsAndTablesBelowIt() {
        for (int i = 0; i < 3; i++) {
            new TestJournal(folder.resolve("jobs/" + i + "/.rlm")).record(i, 4);
        }
        new TestJournal(folder.resolve("jobs/0/.rlm")).export(folder.resolve("tables"));

        assertThat(open(folder).runs().count()).isEqualTo(16);
        assertThat(open(folder.resolve("jobs"), folder.resolve("tables")).runs().count())
                .isEqualTo(16);
        assertThat(open(folder.resolve("jobs/1")).runs().count()).isEqualTo(4);
    }

    @Test
    void source_hasAllTables() {
        new TestJournal(folder).record(1, 20);

        Stream.of("runs", "steps", "rewards", "model_calls", "tool_calls")
                .forEach(table -> assertThat(spark.read()
                                .format("rlm")
                                .option("table", table)
                                .load(folder.toString())
                                .count())
                        .as(table)
                        .isPositive());
        assertThatThrownBy(() -> spark.read()
                        .format("rlm")
                        .option("table", "step")
                        .load(folder.toString())
                        .count())
                .hasMessageContaining("unknown table 'step': known are runs, steps, rewards, model_calls, tool_calls");
    }

    @Test
    void folder_withoutRuns_isRefused() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Path other = Files.createDirectory(folder.resolve("other"));
        Files.createDirectory(other.resolve("runs.parquet"));
        spark.range(3).write().parquet(other.resolve("steps.parquet").toString());

        assertRefused(
                folder.resolve("gone"), "there is no folder " + folder.resolve("gone") + ": expected the folder of");
        assertRefused(file, file + " is not a folder: expected the folder of a journal");
        assertRefused(empty, "no run was recorded in " + empty + ": expected the folder of a journal");
        assertThatThrownBy(() -> open(other).steps())
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("steps.parquet is no table of an export: it has no column run_id");
        assertThatThrownBy(() -> open(other).rewards())
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("there is no " + other.resolve("rewards.parquet"));
    }

    private static void assertRefused(Path path, String message) {
        assertThatThrownBy(() -> open(path)).isInstanceOf(UsageException.class).hasMessageContaining(message);
    }
}

package dev.rlm.engine.spark.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SparkReportCommandTest {
    private static final double ROUNDING = 1e-12;

    @TempDir
    private Path folder;

    private TestJournal journal;

    @BeforeEach
    void record() throws IOException {
        journal = new TestJournal(folder.resolve("journal"));
        for (int seed = 0; seed < 3; seed++) {
            journal.record(seed, 80);
        }
        journal.recordAbandoned();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--by sample,split",
                "--by experiment,epoch,train-step,policy-version",
                "--by failure --k 3,1",
                "--by trajectory-index --all-attempts"
            })
    void figures_areThoseOfTheReport(String options) throws IOException {
        JsonNode expected = json(journal.command(arguments("report --json " + options)));
        JsonNode ofJournal = json(spark(journal.folder(), options));

        assertThat(ofJournal.path("superseded_runs").asInt() > 0).isEqualTo(!options.contains("all-attempts"));
        assertThat(ofJournal.path("all").path("abandoned").asInt()).isEqualTo(1);
        assertThat(ofJournal.path("all").path("runs_without_usable_reward").asInt())
                .isPositive();
        assertThat(ofJournal.path("all").path("pass").size()).isPositive();
        assertThat(ofJournal.path("rows").size())
                .isEqualTo(expected.path("rows").size());
        assertSame(ofJournal, expected, "");
        assertSame(json(spark(journal.export(folder.resolve("tables")), options)), ofJournal, "");
    }

    private static String[] arguments(String words) {
        return words.strip().split(" +");
    }

    private String spark(Path path, String options) {
        return journal.command(arguments("spark-report --json --master local[2] " + path + " " + options));
    }

    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text);
    }

    /** Whatever the first has, the second has, too. */
    private static void assertSame(JsonNode actual, JsonNode expected, String place) {
        if (actual.isObject()) {
            actual.properties()
                    .forEach(member -> assertSame(
                            member.getValue(), expected.path(member.getKey()), place + "." + member.getKey()));
        } else if (actual.isArray()) {
            assertThat(actual.size()).as(place).isEqualTo(expected.size());
            for (int i = 0; i < actual.size(); i++) {
                assertSame(actual.get(i), expected.get(i), place + "[" + i + "]");
            }
        } else if (actual.isDouble()) {
            double value = expected.asDouble();
            assertThat(actual.asDouble()).as(place).isCloseTo(value, within(ROUNDING * (1 + Math.abs(value))));
        } else {
            assertThat(actual).as(place).isEqualTo(expected);
        }
    }

    @Test
    void tables_areForPeople() {
        String printed = journal.command(
                "spark-report", "--master", "local[2]", journal.folder().toString());

        assertThat(printed)
                .contains("runs, and ", " superseded by later attempts", "RUNS", "solved rate", "pass@k", "all");
    }

    @Test
    void command_withWrongInput_isRefusedInOneLine() throws IOException {
        Path empty = Files.createDirectory(folder.resolve("empty"));

        assertRefused(
                "there is no folder " + folder.resolve("gone"),
                folder.resolve("gone").toString());
        assertRefused("no run was recorded in " + empty + ": expected the folder of a journal", empty.toString());
        assertRefused("--k=0 is not valid", journal.folder().toString(), "--k", "0");
        assertRefused(
                "'tool' is not known: known are environment, model",
                journal.folder().toString(),
                "--by",
                "tool");
    }

    @Test
    void journal_ofANewerVersion_isNamed() throws IOException {
        Path newer = Files.createDirectories(folder.resolve("newer/writer"));
        Files.writeString(
                newer.resolve("events-1.jsonl"), "{\"type\":\"journal\",\"schema\":\"rlm.journal\",\"version\":99}\n");

        TestJournal.Result result = TestJournal.rlm(
                Map.of("RLM_JOURNAL_INDEX", "none"),
                "spark-report",
                folder.resolve("newer").toString(),
                "--master",
                "local[2]");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err().lines())
                .singleElement()
                .asString()
                .contains("events-1.jsonl was written by a newer version: its schema is 99");
    }

    private static void assertRefused(String message, String... arguments) {
        TestJournal.Result result = TestJournal.rlm(
                Map.of(),
                Stream.concat(Stream.of("spark-report"), Stream.of(arguments)).toArray(String[]::new));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err().lines()).singleElement().asString().contains(message);
    }
}

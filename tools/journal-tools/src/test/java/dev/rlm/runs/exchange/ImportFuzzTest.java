package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.Mutation;
import dev.rlm.journal.Journal;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Records of each format with changes at random: each is imported, or refused in a line that says why, and what is imported can be read. A
 * failure names the seed; {@code -Dfuzz.seed} repeats it, {@code -Dfuzz.records} asks for more.
 */
@Tag("thorough")
@Timeout(600)
class ImportFuzzTest {
    private static final long SEED = Long.getLong("fuzz.seed", 1);
    private static final int RECORDS = Integer.getInteger("fuzz.records", 5_000);

    @TempDir
    private Path folder;

    private List<String> samples(String format) throws Exception {
        return switch (format) {
            case "swe-agent" -> List.of(SweAgentImportTest.CALLING);
            case "sharegpt" -> List.of(ShareGptImportTest.CALLING);
            case "rlm-code" -> RlmCodeImportTest.lines();
            default -> {
                Exchange recorded = new Exchange(folder.resolve("recorded"));
                recorded.recordJob(2, 2);
                Path file = folder.resolve("exported.jsonl");
                recorded.export(format, file);
                if (format.equals("chat")) {
                    yield List.of(ImportTest.CHAT, Files.readAllLines(file).get(0));
                }
                try (Stream<Path> files = Files.walk(file).filter(Files::isRegularFile)) { // one for each run
                    yield List.of(Files.readString(files.findFirst().orElseThrow()));
                }
            }
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"chat", "atif", "sharegpt", "swe-agent", "rlm-code"})
    void changedRecords_areImported_orRefusedInALine(String format) throws Exception {
        List<String> samples =
                samples(format).stream().map(sample -> sample.replace("\n", "")).toList();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int record = 0; record < RECORDS; record++) {
            byte[] sample = samples.get(record % samples.size()).getBytes(StandardCharsets.UTF_8);
            byte[] made =
                    record == 0 ? sample : Mutation.of(sample, new Random(SEED + record)); // the first tells lines
            String changed = new String(made, StandardCharsets.ISO_8859_1);
            all.writeBytes(changed.replaceAll("[\r\n]", " ").getBytes(StandardCharsets.ISO_8859_1));
            all.write('\n');
        }
        Path file = Files.write(folder.resolve("changed.jsonl"), all.toByteArray());
        Path journal = folder.resolve("imported");
        Cli imported = Cli.with(
                Map.of(),
                "import",
                "--format",
                format,
                "--skip-bad-lines",
                file.toString(),
                "--journal",
                journal.toString());

        assertThat(imported.exitCode()).as(imported.err()).isIn(0, 1);
        assertThat(imported.err()).doesNotContain("Exception", "java.", "\tat ");
        long[] events = {0};
        Journal read = Journal.open(journal);
        read.read(read.runs(), (run, each) -> events[0] += each.size());
        assertThat(read.runs()).isNotEmpty().allMatch(run -> run.row().end() != null);
        assertThat(events[0]).isPositive();
        assertThat(read.damagedLines()).isZero();
    }
}

package dev.rlm.runs.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is left of a report that was told to end while it read. */
@Timeout(180)
class ReportInterruptTest {
    @TempDir
    Path folder;

    @Test
    @EnabledOnOs(OS.LINUX) // tells which files a process reads
    void interrupt_whileTheJournalIsRead_leavesNoHalfReport() throws Exception {
        Path journal = folder.resolve("journal");
        recordMuch(journal);
        for (String form : List.of("--markdown", "--json", "--csv")) {
            try (RunningCli report = RunningCli.start(
                    folder, Map.of("RLM_JSONL_DIR", journal.toString(), "RLM_JOURNAL_INDEX", "none"), "report", form)) {
                await("a file of the journal that is open")
                        .atMost(Duration.ofSeconds(90))
                        .pollInterval(Duration.ofMillis(10))
                        .until(() -> isReading(journal) || !report.isAlive());
                assertThat(report.stop()).as(report.err()).isEqualTo(130);
                assertThat(report.out()).isEmpty();
                assertThat(report.err()).doesNotContain("Exception", "\tat ");
            }
        }
    }

    /** Records what takes a minute to read: the same again and again. */
    private static void recordMuch(Path journal) throws IOException {
        Recorded recorded = new Recorded(journal);
        try (Sinks sinks = recorded.open();
                Run run = sinks.startRun(Recorded.spec("m", "s").build())) {
            for (int i = 0; i < 50; i++) {
                try (Step step = run.startStep()) {
                    step.complete("all work and no play ".repeat(5_000));
                }
            }
            run.complete("");
        }
        Path segment;
        try (Stream<Path> files = Files.walk(journal)) {
            segment = files.filter(file -> file.getFileName().toString().startsWith("events-1."))
                    .findAny()
                    .orElseThrow();
        }
        String name = segment.getFileName().toString();
        for (int i = 2; i < 200; i++) {
            Files.createLink(segment.resolveSibling(name.replace("events-1.", "events-" + i + ".")), segment);
        }
    }

    private static boolean isReading(Path journal) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.map(ReportInterruptTest::target).anyMatch(file -> file.startsWith(journal));
        }
    }

    private static Path target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (IOException e) {
            return descriptor; // it has been closed
        }
    }
}

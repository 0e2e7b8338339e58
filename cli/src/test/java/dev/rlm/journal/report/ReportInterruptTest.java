package dev.rlm.journal.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Cli;
import dev.rlm.cli.launcher.RlmProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is left of a report that was told to end while it read. */
class ReportInterruptTest {
    @TempDir
    Path folder;

    @Tag("thorough")
    @Test
    @EnabledOnOs(OS.LINUX) // tells which files a process reads
    void interrupt_whileTheJournalIsRead_leavesNoHalfReport() throws Exception {
        Path journal = folder.resolve("journal");
        Cli.with(Map.of("RLM_JSONL_DIR", journal.toString()), "run", "--samples", "500", "--rollouts", "20");
        for (String form : List.of("--markdown", "--json", "--csv")) {
            try (RlmProcess process = RlmProcess.start(
                    Files.createDirectory(folder.resolve(form)),
                    Map.of("RLM_JSONL_DIR", journal.toString()),
                    "report",
                    form)) {
                await().atMost(Duration.ofSeconds(90))
                        .pollInterval(Duration.ofMillis(10))
                        .until(() ->
                                process.isReading(journal) || !process.process().isAlive());
                process.signal("INT");
                assertThat(process.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
                assertThat(process.process().exitValue()).as(process.err()).isEqualTo(130);
                assertThat(process.out()).isEmpty();
                assertThat(process.err()).doesNotContain("Exception", "\tat ");
            }
        }
    }
}

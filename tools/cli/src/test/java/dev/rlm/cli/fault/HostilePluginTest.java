package dev.rlm.cli.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.PluginFolder;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.otel.backend.HostileExchange;
import dev.rlm.sinks.otel.backend.HostileServer;
import dev.rlm.sinks.testkit.fault.HostileSinkProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The whole program with a hostile plug-in, or a bad back end: its job is done, said and recorded as ever. */
@Tag("thorough")
@Timeout(300) // on machines that have other things to do
class HostilePluginTest {
    private static final int RUNS = 80;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "hang, on_event",
        "hang, close",
        "hang, create",
        "hang, 'status,acknowledged,record_path,location'",
        "out_of_memory, on_event",
        "leak_threads, on_event",
    })
    void plugIn_costsTheJobNothing(String fault, String where) throws Exception {
        String summary = run(Map.of(
                "RLM_PLUGINS",
                PluginFolder.naming(folder, HostileSinkProvider.class.getName()),
                "RLM_HOSTILE_ENABLED",
                "true",
                "RLM_HOSTILE_FAULT",
                fault,
                "RLM_HOSTILE_IN",
                where));

        assertThat(summary).contains("scripted    80");
    }

    @Test
    void providers_thatCannotSayTheirNames_areLeftOut() throws Exception {
        String hanging = HangingNameProvider.class.getName();
        String failing = FailingNameProvider.class.getName();
        String late = hanging + ": its provider did not answer in 10 s";
        String failed = failing + ": java.lang.StackOverflowError";
        Map<String, String> variables =
                Map.of("RLM_PLUGINS", PluginFolder.naming(folder, SinkProvider.class, hanging, failing));
        Path own = Files.createDirectories(folder.resolve("named"));

        // Processes, each of which waits for it once.
        try (RlmProcess process = RlmProcess.start(own, variables, "run", "--samples", "1")) {
            process.awaitSuccess();
            assertThat(process.err())
                    .contains("sink '?' is not available: " + late, "sink '?' is not available: " + failed);
            assertThat(Journal.open(own.resolve(".rlm")).runs()).hasSize(4);
        }
        try (RlmProcess process = RlmProcess.start(own, variables, "sinks")) {
            process.awaitSuccess();
            assertThat(process.out().lines().map(line -> line.replaceAll(" +", " ")))
                    .contains(
                            "? not available " + late, "? not available " + failed, "jsonl on " + own.resolve(".rlm"));
        }
    }

    @Test
    void plugIn_thatHangs_isCheckedInTime() throws Exception {
        Map<String, String> variables = Map.of(
                "RLM_JSONL_DIR", folder.resolve(".rlm").toString(),
                "RLM_PLUGINS", PluginFolder.naming(folder, HostileSinkProvider.class.getName()),
                "RLM_HOSTILE_ENABLED", "true",
                "RLM_HOSTILE_FAULT", "hang",
                "RLM_HOSTILE_IN", "check,status,close");
        Cli check = Cli.with(variables, "sinks", "--check");
        assertThat(check.exitCode()).isEqualTo(1);
        assertThat(check.lines())
                .anyMatch(line -> line.matches("hostile +not available .*"))
                .anyMatch(line -> line.matches("jsonl +delivers .*"));
    }

    @Test
    void backEnd_thatIsDown_costsTheJobNothing() throws Exception {
        try (HostileServer server = HostileServer.speaking("http/protobuf")) {
            server.refuse();
            runHere(server);
        }
    }

    @Test
    void backEnd_thatNeverAnswers_costsTheJobNothing() throws Exception {
        try (HostileServer server = HostileServer.speaking("http/protobuf")) {
            server.behave(HostileExchange::stall);
            runHere(server);
        }
    }

    /** Runs the job in a process, which has to end too, and looks into its journal; returns what it said. */
    private String run(Map<String, String> variables) throws IOException, InterruptedException {
        Path own = Files.createDirectories(folder.resolve("run"));
        try (RlmProcess process = RlmProcess.start(own, variables, "run", "--seed", "3")) {
            process.awaitSuccess();
            isWhole(Journal.open(own.resolve(".rlm")));
            return process.out();
        }
    }

    private void runHere(HostileServer server) {
        Path journal = folder.resolve(".rlm");
        Map<String, String> variables = Map.of(
                "RLM_JSONL_DIR", journal.toString(),
                "RLM_OTEL_ENABLED", "true",
                "OTEL_EXPORTER_OTLP_ENDPOINT", server.endpoint());
        Cli job = Cli.with(variables, "run", "--seed", "3");
        assertThat(job.exitCode()).as(job.err()).isZero();
        isWhole(Journal.open(journal));
    }

    private static void isWhole(Journal journal) {
        assertThat(journal.damagedLines()).isZero();
        assertThat(journal.runs()).hasSize(RUNS);
        journal.runs().forEach(run -> {
            List<RunEvent> events = journal.events(run.run().runId());
            RunEvent last = events.get(events.size() - 1);
            assertThat(last).isInstanceOf(RunEnded.class);
            assertThat(last.seq()).as("events of the run").isEqualTo(events.size());
        });
    }

    /** One that hangs where it should say its name. */
    public static final class HangingNameProvider extends RefusingProvider {
        @Override
        public String name() {
            HangingHookProvider.hang();
            return "unheard";
        }
    }

    /** One that cannot say its name. */
    public static final class FailingNameProvider extends RefusingProvider {
        @Override
        public String name() {
            throw new StackOverflowError();
        }
    }
}

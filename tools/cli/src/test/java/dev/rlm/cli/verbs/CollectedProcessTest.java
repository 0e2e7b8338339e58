package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.OtlpJson;
import dev.rlm.cli.testkit.SendingAgent;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code rlm collect -- COMMAND} as a process that gives its streams and variables on, and ends with what it has started. */
@Timeout(300)
@Tag("thorough")
class CollectedProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Another collector, which takes what it is sent: this program, at the port that the file of options names. */
    private static final String OTELCOL = """
            #!/bin/sh
            echo $$ > 'FOLDER/pid'
            echo $2 > 'FOLDER/config'
            unset RLM_COLLECT_TOKEN RLM_OTELCOL_TOKEN
            port=$(sed 's/.*"endpoint":"127.0.0.1:\\([0-9]*\\)".*/\\1/' "$2")
            exec 'JAVA' -cp 'CLASSES' MAIN collect --port "$port" --grpc-port 0 --journal 'FOLDER/otelcol'
            """;

    @TempDir
    private Path folder;

    private final List<RlmProcess> started = new ArrayList<>();

    @AfterEach
    void end() {
        started.forEach(RlmProcess::close);
    }

    @Test
    void spans_areARun_andTheExitCodeIsTheCommands() throws Exception {
        Map<String, String> elsewhere = Map.of(
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:9/v1/traces",
                "OTEL_EXPORTER_OTLP_HEADERS", "api-key=of-another-back-end",
                "RLM_OTLP_FILE_ENABLED", "true");
        RlmProcess rlm = start("one", elsewhere, SendingAgent.line("1/2/1", "1/1/0") + "; env; exit 7");
        assertThat(exitCode(rlm)).as(rlm.err()).isEqualTo(7);
        assertThat(rlm.out())
                .contains("OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf")
                .doesNotContain("_TRACES_ENDPOINT", "of-another-back-end");
        assertThat(rlm.err()).contains("collected 2 spans (0 again), made 1 run");
        assertThat(outcome(1)).isEqualTo(Outcome.COMPLETED);
        assertThat(calls(1)).isEqualTo(1);
        List<String> lines = Files.readAllLines(folder.resolve("one/traces.jsonl"));
        assertThat(lines).isNotEmpty().allSatisfy(line -> assertThat(line).contains(OtlpJson.runId(1)));
    }

    @Test
    void signal_endsTheCommandsTree_andKeepsWhatCame() throws Exception {
        RlmProcess rlm = startStaying(1, Map.of());
        List<ProcessHandle> tree = rlm.process().descendants().toList();
        assertThat(tree).hasSizeGreaterThan(1);
        rlm.process().destroy();
        assertThat(exitCode(rlm)).as(rlm.err()).isEqualTo(143);
        assertThat(tree).noneMatch(ProcessHandle::isAlive);
        assertThat(outcome(1)).isEqualTo(Outcome.ABANDONED);
    }

    @Test
    void killedCollectors_goOnWithTheirSpools_inTheNext() throws Exception {
        List<RlmProcess> killed = List.of(startStaying(1, Map.of()), startStaying(2, Map.of()));
        assertThat(folder.resolve("journal/collect-2")).isDirectory();
        for (RlmProcess rlm : killed) {
            List<ProcessHandle> orphans = rlm.process().descendants().toList();
            rlm.process().destroyForcibly();
            assertThat(exitCode(rlm)).isEqualTo(137);
            orphans.forEach(ProcessHandle::destroyForcibly);
        }
        RlmProcess next = start("c3", Map.of(), SendingAgent.line("3/1/0", "3/2/1"));
        assertThat(exitCode(next)).as(next.err()).isZero();
        assertThat(journal().runs()).as(next.err()).hasSize(3);
        assertThat(calls(1)).isEqualTo(2);
        assertThat(calls(2)).isEqualTo(2);
        assertThat(outcome(1)).isEqualTo(Outcome.ABANDONED);
        assertThat(outcome(3)).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void collectorOnThePath_endsWithThisProcess_alsoWhereThatIsKilled() throws Exception {
        Path bin = Files.createDirectory(folder.resolve("bin"));
        Path program = Files.writeString(
                bin.resolve("otelcol"),
                OTELCOL.replace("FOLDER", folder.toString())
                        .replace("JAVA", System.getProperty("java.home") + "/bin/java")
                        .replace("CLASSES", System.getProperty("java.class.path"))
                        .replace("MAIN", Main.class.getName()));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        RlmProcess killed = startStaying(
                2,
                Map.of("PATH", bin + ":" + System.getenv("PATH"), "RLM_COLLECT_TOKEN", "0123456789-$abcdef"),
                "--collector",
                "otelcol");
        ProcessHandle collector = ProcessHandle.of(
                        Long.parseLong(Files.readString(folder.resolve("pid")).strip()))
                .orElseThrow();
        assertThat(collector.isAlive()).isTrue();
        List<ProcessHandle> tree = killed.process().descendants().toList();
        killed.process().destroyForcibly();
        await("the end of the collector").atMost(PATIENCE).until(() -> !collector.isAlive());
        Path left = Path.of(Files.readString(folder.resolve("config")).strip());
        assertThat(left).content().doesNotContain("0123456789").contains("Bearer");
        Files.delete(left);
        Files.delete(left.getParent());
        tree.forEach(ProcessHandle::destroyForcibly);
    }

    /** Starts it with a command that has sent two calls of a trace, and goes on. */
    private RlmProcess startStaying(int trace, Map<String, String> variables, String... options) throws Exception {
        Path sent = folder.resolve("sent" + trace);
        RlmProcess rlm = start(
                "c" + trace,
                variables,
                SendingAgent.line(trace + "/2/1", trace + "/3/1", "touch=" + sent, "stay") + "; true",
                options);
        rlm.await(() -> Files.exists(sent));
        return rlm;
    }

    /** Starts it with a script, in a folder of its own, with the journal that all share. */
    private RlmProcess start(String name, Map<String, String> variables, String script, String... options)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of("collect", "--quiet-time", "300ms", "--journal"));
        arguments.add(folder.resolve("journal").toString());
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("--", "/bin/sh", "-c", script));
        RlmProcess rlm = RlmProcess.start(
                Files.createDirectories(folder.resolve(name)), variables, arguments.toArray(String[]::new));
        started.add(rlm);
        return rlm;
    }

    private static int exitCode(RlmProcess rlm) throws Exception {
        assertThat(rlm.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        return rlm.process().exitValue();
    }

    private Journal journal() {
        return Journal.open(folder.resolve("journal"));
    }

    private long calls(int trace) {
        return events(trace).stream().filter(ModelCalled.class::isInstance).count();
    }

    private Outcome outcome(int trace) {
        return events(trace).stream()
                .filter(RunEnded.class::isInstance)
                .map(event -> ((RunEnded) event).outcome())
                .findFirst()
                .orElseThrow();
    }

    private List<RunEvent> events(int trace) {
        return journal().events(OtlpJson.runId(trace));
    }
}

package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.Shell;
import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code rlm collect -- COMMAND}, with programs that send spans where the variables of OTLP say. */
@Timeout(300)
@Tag("thorough")
class CollectedCommandTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> OTELCOL = List.of("--quiet-time", "300ms", "--collector", "otelcol");
    private static final List<String> AUTO = List.of("--quiet-time", "300ms", "--collector", "auto");

    @TempDir
    private Path folder;

    @Test
    void spans_areARun_andTheExitCodeIsTheCommands() throws Exception {
        Map<String, String> elsewhere = Map.of(
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:9/v1/traces",
                "OTEL_EXPORTER_OTLP_HEADERS", "api-key=of-another-back-end",
                "RLM_OTLP_FILE_ENABLED", "true");
        RlmProcess rlm = start("one", elsewhere, List.of(), agent("1/2/1", "1/1/0") + "; env; exit 7");
        assertThat(exitCode(rlm)).as(rlm.err()).isEqualTo(7);
        assertThat(rlm.out())
                .contains("OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf")
                .doesNotContain("_TRACES_ENDPOINT", "of-another-back-end");
        assertThat(rlm.err()).contains("collected 2 spans (0 again), made 1 run");
        assertThat(outcome(1)).isEqualTo(Outcome.COMPLETED);
        assertThat(calls(1)).isEqualTo(1);
        List<String> lines = Files.readAllLines(folder.resolve("one/traces.jsonl"));
        assertThat(lines).isNotEmpty().allSatisfy(line -> assertThat(line).contains(id(1)));
    }

    @Test
    void workersSpans_thatComeBeforeDuringAndAfterTheDrivers_areInItsRun() throws Exception {
        RlmProcess rlm = start(
                "one",
                Map.of("RLM_COLLECT_TOKEN", "0123456789-abcdef/+"),
                List.of("--quiet-time", "5s"),
                agent("wait", "1/4/1") + " & " + agent("1/2/1") + "; " + agent("1/3/1") + " & " + agent("1/1/0"));
        assertThat(exitCode(rlm)).as(rlm.err()).isZero();
        assertThat(runs()).as(rlm.err()).hasSize(1);
        assertThat(calls(1)).isEqualTo(3);
        assertThat(rlm.out() + rlm.err()).doesNotContain("0123456789", "warning");
    }

    @Test
    void spansThatWereLeftOpen_makeTheRunAbandoned_withAllThatCame() throws Exception {
        RlmProcess rlm = start("one", Map.of(), List.of(), agent("1/2/1", "1/3/1") + "; kill -9 $$");
        assertThat(exitCode(rlm)).as(rlm.err()).isEqualTo(137);
        assertThat(outcome(1)).isEqualTo(Outcome.ABANDONED);
        assertThat(calls(1)).isEqualTo(2);
    }

    @Test
    void signal_endsTheCommandsTree_andKeepsWhatCame() throws Exception {
        Path sent = folder.resolve("sent");
        RlmProcess rlm =
                start("one", Map.of(), List.of(), agent("1/2/1", "1/3/1", "touch=" + sent, "sleep") + "; true");
        await().atMost(PATIENCE).until(() -> Files.exists(sent));
        List<ProcessHandle> tree = rlm.process().descendants().toList();
        assertThat(tree).hasSizeGreaterThan(1);
        rlm.process().destroy();
        assertThat(exitCode(rlm)).as(rlm.err()).isEqualTo(143);
        assertThat(tree).noneMatch(ProcessHandle::isAlive);
        assertThat(outcome(1)).isEqualTo(Outcome.ABANDONED);
    }

    @Test
    void killedCollectors_goOnWithTheirSpools_inTheNext() throws Exception {
        List<RlmProcess> killed = new ArrayList<>();
        for (int trace = 1; trace <= 2; trace++) {
            Path sent = folder.resolve("sent" + trace);
            killed.add(start(
                    "c" + trace,
                    Map.of(),
                    List.of(),
                    agent(trace + "/2/1", trace + "/3/1", "touch=" + sent, "sleep") + "; true"));
            await().atMost(PATIENCE).until(() -> Files.exists(sent));
        }
        assertThat(folder.resolve("journal/collect-2")).isDirectory();
        for (RlmProcess rlm : killed) {
            List<ProcessHandle> orphans = rlm.process().descendants().toList();
            rlm.process().destroyForcibly();
            assertThat(exitCode(rlm)).isEqualTo(137);
            orphans.forEach(ProcessHandle::destroyForcibly);
        }
        RlmProcess next = start("c3", Map.of(), List.of(), agent("3/1/0", "3/2/1"));
        assertThat(exitCode(next)).as(next.err()).isZero();
        assertThat(runs()).as(next.err()).hasSize(3);
        assertThat(calls(1)).isEqualTo(2);
        assertThat(calls(2)).isEqualTo(2);
        assertThat(outcome(1)).isEqualTo(Outcome.ABANDONED);
        assertThat(outcome(3)).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void commandWithoutSpans_orThatIsNone_isTold() throws Exception {
        RlmProcess rlm = start("one", Map.of(), List.of(), "true");
        assertThat(exitCode(rlm)).isZero();
        assertThat(rlm.err()).contains("warning: no span came: the command may not read OTEL_EXPORTER_OTLP_ENDPOINT");
        RlmProcess none = command("two", Map.of(), List.of(), List.of("/no/such/program"));
        assertThat(exitCode(none)).isEqualTo(127);
        assertThat(none.err()).contains("'/no/such/program' cannot be started: there is no such program");
    }

    // ---- an OpenTelemetry Collector between

    @Test
    void collectorOnThePath_sendsOn_andEndsWithThisProcess() throws Exception {
        Path pid = folder.resolve("pid");
        Path config = folder.resolve("config");
        Map<String, String> variables = new HashMap<>(
                path("echo $$ > " + pid + "; echo $2 > " + config + "; exec " + java(CollectorStub.class) + " \"$@\""));
        variables.put("RLM_COLLECT_TOKEN", "0123456789-$abcdef");
        RlmProcess rlm = start("one", variables, OTELCOL, agent("1/2/1", "1/1/0") + "; env; exit 3");
        assertThat(exitCode(rlm)).as(rlm.err()).isEqualTo(3);
        assertThat(rlm.out()).doesNotContain("OTEL_EXPORTER_OTLP_HEADERS");
        assertThat(rlm.err()).doesNotContain("warning").contains("collected 2 spans (0 again), made 1 run");
        assertThat(outcome(1)).isEqualTo(Outcome.COMPLETED);

        Path sent = folder.resolve("sent");
        RlmProcess killed = start("two", variables, OTELCOL, agent("2/2/1", "touch=" + sent, "sleep") + "; true");
        await().atMost(PATIENCE).until(() -> Files.exists(sent));
        ProcessHandle collector =
                ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
        assertThat(collector.isAlive()).isTrue();
        List<ProcessHandle> tree = killed.process().descendants().toList();
        killed.process().destroyForcibly();
        await().atMost(PATIENCE).until(() -> !collector.isAlive());
        Path left = Path.of(Files.readString(config).strip());
        assertThat(left).content().doesNotContain("0123456789").contains("Bearer");
        Files.delete(left);
        Files.delete(left.getParent());
        tree.forEach(ProcessHandle::destroyForcibly);
    }

    /** With a real one, for which Jaeger's binary stands in where there is no other. */
    @Test
    void realCollector_sendsOn() throws Exception {
        String binary = Optional.ofNullable(System.getenv("OTELCOL_BIN")).orElse(System.getenv("JAEGER_BIN"));
        assumeTrue(binary != null, "neither OTELCOL_BIN nor JAEGER_BIN is set");
        Map<String, String> variables = new HashMap<>(path("exec " + Shell.line(List.of(binary)) + " \"$@\""));
        variables.put("RLM_COLLECT_TOKEN", "0123456789-$abcdef");
        RlmProcess rlm = start("one", variables, OTELCOL, agent("1/2/1", "1/1/0"));
        assertThat(exitCode(rlm)).as(rlm.err()).isZero();
        assertThat(outcome(1)).isEqualTo(Outcome.COMPLETED);
        assertThat(calls(1)).isEqualTo(1);
    }

    @Test
    void collectorThatIsNotThere_orDoesNotStart_isTold() throws Exception {
        RlmProcess missing = start("one", Map.of("PATH", "/usr/bin:/bin"), OTELCOL, "true");
        assertThat(exitCode(missing)).isEqualTo(2);
        assertThat(missing.err()).contains("neither otelcol-contrib nor otelcol is on the PATH");
        RlmProcess broken = start("two", path("exit 1"), OTELCOL, "echo ran");
        assertThat(exitCode(broken)).isEqualTo(1);
        assertThat(broken.err()).contains("otelcol does not listen");
        assertThat(broken.out()).isEmpty();
        RlmProcess auto = start("three", path("exit 1"), AUTO, agent("1/2/1", "1/1/0"));
        assertThat(exitCode(auto)).isZero();
        assertThat(auto.err()).contains("warning:", "the command sends to this program");
        assertThat(outcome(1)).isEqualTo(Outcome.COMPLETED);
    }

    /** A path with a program otelcol that runs this. */
    private Map<String, String> path(String script) throws IOException {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Path program = Files.writeString(bin.resolve("otelcol"), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return Map.of("PATH", bin + ":" + System.getenv("PATH"));
    }

    private RlmProcess start(String name, Map<String, String> variables, List<String> options, String script)
            throws IOException {
        return command(name, variables, options, List.of("/bin/sh", "-c", script));
    }

    /** Starts it in a folder of its own, with the journal that all share. */
    private RlmProcess command(String name, Map<String, String> variables, List<String> options, List<String> command)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of("collect", "--journal"));
        arguments.add(folder.resolve("journal").toString());
        arguments.addAll(options.isEmpty() ? List.of("--quiet-time", "300ms") : options);
        arguments.add("--");
        arguments.addAll(command);
        return RlmProcess.start(
                Files.createDirectories(folder.resolve(name)), variables, Main.class, arguments.toArray(String[]::new));
    }

    private static String agent(String... arguments) {
        return java(SendingAgent.class) + " " + Shell.line(List.of(arguments));
    }

    private static String java(Class<?> program) {
        return Shell.line(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
    }

    private static int exitCode(RlmProcess rlm) throws Exception {
        assertThat(rlm.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        return rlm.process().exitValue();
    }

    private Journal journal() {
        return Journal.open(folder.resolve("journal"));
    }

    private List<RunSummary> runs() {
        return journal().runs();
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
        return journal().events(id(trace));
    }

    private static String id(int trace) {
        return String.format("%032x", trace);
    }
}

package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.Shell;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.OtlpJson;
import dev.rlm.cli.testkit.SendingAgent;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code rlm collect -- COMMAND}, with programs that send spans where the variables of OTLP say. */
@Timeout(300)
@Tag("thorough")
class CollectedCommandTest {
    private static final List<String> OTELCOL = List.of("--quiet-time", "300ms", "--collector", "otelcol");
    private static final List<String> AUTO = List.of("--quiet-time", "300ms", "--collector", "auto");

    @TempDir
    private Path folder;

    @Test
    void workersSpans_thatComeBeforeDuringAndAfterTheDrivers_areInItsRun() throws Exception {
        Cli rlm = run(
                Map.of("RLM_COLLECT_TOKEN", "0123456789-abcdef/+"),
                List.of("--quiet-time", "5s"),
                agent("wait", "1/4/1") + " & " + agent("1/2/1") + "; " + agent("1/3/1") + " & " + agent("1/1/0"));
        assertThat(rlm.exitCode()).as(rlm.err()).isZero();
        assertThat(runs()).as(rlm.err()).hasSize(1);
        assertThat(calls(1)).isEqualTo(3);
        assertThat(commandsOut() + rlm.out() + rlm.err()).doesNotContain("0123456789", "warning");
    }

    @Test
    void spansThatWereLeftOpen_makeTheRunAbandoned_withAllThatCame() throws Exception {
        Cli rlm = run(Map.of(), List.of(), agent("1/2/1", "1/3/1") + "; kill -9 $$");
        assertThat(rlm.exitCode()).as(rlm.err()).isEqualTo(137);
        assertThat(outcome(1)).isEqualTo(Outcome.ABANDONED);
        assertThat(calls(1)).isEqualTo(2);
    }

    @Test
    void commandWithoutSpans_orThatIsNone_isTold() throws Exception {
        Cli rlm = run(Map.of(), List.of(), "true");
        assertThat(rlm.exitCode()).isZero();
        assertThat(rlm.err()).contains("warning: no span came: the command may not read OTEL_EXPORTER_OTLP_ENDPOINT");
        Cli none = command(Map.of(), List.of(), List.of("/no/such/program"));
        assertThat(none.exitCode()).isEqualTo(127);
        assertThat(none.err()).contains("'/no/such/program' cannot be started: there is no such program");
    }

    @Test
    void whatASinkHasLost_isTold_withHowToSendItAgain() throws Exception {
        Cli rlm = run(
                Map.of("RLM_OTEL_ENABLED", "true", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"),
                List.of(),
                agent("1/2/1", "1/1/0"));
        assertThat(rlm.exitCode()).as(rlm.err()).isZero();
        assertThat(rlm.err())
                .contains("warning: sink 'otel' ", "to send them again: ./rlm resend --sink otel --journal ")
                .contains(" (with the same OTEL_EXPORTER_OTLP_ENDPOINT, RLM_OTEL_ENABLED)");
        assertThat(calls(1)).isEqualTo(1);
    }

    // ---- an OpenTelemetry Collector between

    @Test
    void collectorOnThePath_sendsOn_andEndsWithTheCommand() throws Exception {
        Path pid = folder.resolve("pid");
        Path config = folder.resolve("config");
        Map<String, String> variables =
                new HashMap<>(path("echo $$ > " + pid + "; echo $2 > " + config + "; exec " + stub() + " \"$@\""));
        variables.put("RLM_COLLECT_TOKEN", "0123456789-$abcdef");
        Cli rlm = run(variables, OTELCOL, agent("1/2/1", "1/1/0") + "; env; exit 3");
        assertThat(rlm.exitCode()).as(rlm.err()).isEqualTo(3);
        assertThat(commandsOut()).contains("OTEL_EXPORTER_OTLP_ENDPOINT").doesNotContain("OTEL_EXPORTER_OTLP_HEADERS");
        assertThat(rlm.err()).doesNotContain("warning").contains("collected 2 spans (0 again), made 1 run");
        assertThat(outcome(1)).isEqualTo(Outcome.COMPLETED);
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
                .ifPresent(collector -> assertThat(collector.isAlive()).isFalse());
        assertThat(Path.of(Files.readString(config).strip())).doesNotExist();
    }

    /** With a real one, for which Jaeger's binary stands in where there is no other. */
    @Test
    void realCollector_sendsOn() throws Exception {
        String binary = Optional.ofNullable(System.getenv("OTELCOL_BIN")).orElse(System.getenv("JAEGER_BIN"));
        assumeTrue(binary != null, "neither OTELCOL_BIN nor JAEGER_BIN is set");
        Map<String, String> variables = new HashMap<>(path("exec " + Shell.line(List.of(binary)) + " \"$@\""));
        variables.put("RLM_COLLECT_TOKEN", "0123456789-$abcdef");
        Cli rlm = run(variables, OTELCOL, agent("1/2/1", "1/1/0"));
        assertThat(rlm.exitCode()).as(rlm.err()).isZero();
        assertThat(outcome(1)).isEqualTo(Outcome.COMPLETED);
        assertThat(calls(1)).isEqualTo(1);
    }

    @Test
    void collectorThatIsNotThere_orDoesNotStart_isTold() throws Exception {
        Cli missing = run(Map.of("PATH", "/usr/bin:/bin"), OTELCOL, "true");
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err()).contains("neither otelcol-contrib nor otelcol is on the PATH");
        Cli broken = run(path("exit 1"), OTELCOL, "echo ran");
        assertThat(broken.exitCode()).isEqualTo(1);
        assertThat(broken.err()).contains("otelcol does not listen");
        assertThat(folder.resolve("out")).doesNotExist();
        Cli auto = run(path("exit 1"), AUTO, agent("1/2/1", "1/1/0"));
        assertThat(auto.exitCode()).isZero();
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

    /** Runs it with a script, whose streams are none of this process's. */
    private Cli run(Map<String, String> variables, List<String> options, String script) {
        String streams =
                "exec </dev/null >>" + Shell.line(List.of(folder.resolve("out").toString())) + " 2>&1; ";
        return command(variables, options, List.of("/bin/sh", "-c", streams + script));
    }

    private Cli command(Map<String, String> variables, List<String> options, List<String> command) {
        List<String> arguments = new ArrayList<>(List.of("collect", "--journal"));
        arguments.add(folder.resolve("journal").toString());
        arguments.addAll(options.isEmpty() ? List.of("--quiet-time", "300ms") : options);
        arguments.add("--");
        arguments.addAll(command);
        return Cli.with(variables, arguments.toArray(String[]::new));
    }

    /** Returns what the scripts have printed. */
    private String commandsOut() throws IOException {
        return Files.readString(folder.resolve("out"));
    }

    private static String agent(String... arguments) throws Exception {
        return SendingAgent.line(arguments);
    }

    private static String stub() {
        return Shell.line(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                CollectorStub.class.getName()));
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
        return journal().events(OtlpJson.runId(trace));
    }
}

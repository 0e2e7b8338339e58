package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.otel.backend.OtlpAnswer;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import io.opentelemetry.api.trace.StatusCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of the runs of a process that is killed while it runs them. */
@Timeout(180)
@DisabledOnOs(OS.WINDOWS)
class RecoverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CONCURRENCY = 3;
    private static final int STEPS = 1_000;
    private static final String RECOVERED = "1 process had died, 3 runs abandoned\n";

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private static Path ofOneKilled;

    @TempDir
    private Path folder;

    private OtlpReceiver receiver;
    private @Nullable RlmProcess started;

    @BeforeEach
    void startReceiver() throws IOException {
        receiver = OtlpReceiver.start();
    }

    @AfterEach
    void end() {
        if (started != null) {
            started.close();
        }
        receiver.close();
    }

    @Tag("thorough")
    @Tag("smoke")
    @Test
    void killedProcess_isRecovered_asWholeTraces() throws Exception {
        killInTheMiddle(otel());
        List<OtlpSpan> before = receiver.spans();
        assertThat(before).noneMatch(span -> span.name().equals("rlm.run"));

        Cli recovered = rlm(otel(), "recover");

        assertThat(recovered.exitCode()).isZero();
        assertThat(recovered.err()).isEmpty();
        assertThat(recovered.out()).startsWith("journal  " + RECOVERED + "sent     3 runs, ");
        for (RunSummary run : journal().runs()) {
            assertThat(run.state()).isEqualTo(RunState.ABANDONED);
            tellsTheWhole(run);
        }
        assertThat(receiver.logs("rlm.run.finished"))
                .as("a log record of each end, which nobody has sent before")
                .extracting(log -> log.attributes().get("rlm.run_id"))
                .containsExactlyInAnyOrderElementsOf(journal().runs().stream()
                        .map(run -> (Object) run.run().runId())
                        .toList());
        assertThat(spansById().values())
                .allSatisfy(same -> assertThat(new HashSet<>(same))
                        .as("what was sent more than once")
                        .hasSize(1));
        assertThat(spansById().keySet())
                .containsAll(before.stream().map(RecoverTest::id).toList());
    }

    /** The run's trace in the receiver against the journal. */
    private void tellsTheWhole(RunSummary run) {
        RunEnded end = Objects.requireNonNull(run.end());
        Map<String, OtlpSpan> trace = receiver.spans().stream()
                .filter(span -> run.run().runId().equals(span.attributes().get("rlm.run_id")))
                .collect(Collectors.toMap(OtlpSpan::spanId, span -> span, (one, same) -> one));
        assertThat(trace.values().stream().map(OtlpSpan::traceId).distinct()).hasSize(1);
        OtlpSpan root = trace.values().stream()
                .filter(span -> span.name().equals("rlm.run"))
                .findFirst()
                .orElseThrow();
        assertThat(root.status()).isEqualTo(StatusCode.ERROR);
        assertThat(root.attributes())
                .containsEntry("error.type", "abandoned")
                .containsEntry("rlm.outcome", "abandoned")
                .containsEntry("rlm.total_steps", (long) end.steps());
        List<OtlpSpan> steps = trace.values().stream()
                .filter(span -> span.name().equals("rlm.step"))
                .toList();
        assertThat(steps).hasSize((int) journal().events(run.run().runId()).stream()
                .filter(StepStarted.class::isInstance)
                .count());
        assertThat(steps).allMatch(span -> span.endNanos() <= root.endNanos());
        assertThat(steps)
                .filteredOn(span -> "abandoned".equals(span.attributes().get("error.type")))
                .hasSize(steps.size() - end.steps())
                .allMatch(span -> span.status() == StatusCode.ERROR);
    }

    @Test
    void recovery_isRepeated_withoutASecondTime_andRecordsNothingNew() throws Exception {
        killInTheMiddle(otel());
        assertThat(rlm(otel(), "recover").exitCode()).isZero();
        int sent = receiver.spans().size();

        Cli again = rlm(otel(), "recover");

        assertThat(again.exitCode()).isZero();
        assertThat(again.out()).isEqualTo("journal  nothing to recover\n");
        assertThat(receiver.spans()).hasSize(sent);
    }

    @Tag("thorough")
    @Test
    void recoveryWithoutOpenTelemetry_isCompletedByALaterOneWithIt() throws Exception {
        killInTheMiddle(otel());
        Cli without = rlm(Map.of(), "recover");
        assertThat(without.out()).isEqualTo("journal  " + RECOVERED);

        Cli with = rlm(otel(), "recover", "--json");

        assertThat(with.out()).contains("\"abandoned_runs\":0", "\"runs\":3", "\"complete\":true");
        assertThat(with.exitCode()).isZero();
        journal().runs().forEach(this::tellsTheWhole);
    }

    @Test
    void recovery_toADeadBackEnd_saysSo_andIsCompletedLater() throws Exception {
        killInTheMiddle();
        receiver.answer(OtlpSignal.TRACES, OtlpAnswer.REJECT);
        Cli failed = rlm(otel(), "recover");
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.out()).contains("journal  " + RECOVERED);
        assertThat(failed.err()).contains("not everything has arrived at 'otel'", "recover again");
        assertThat(journal().runs()).allMatch(run -> run.state() == RunState.ABANDONED);

        receiver.answer(OtlpSignal.TRACES, OtlpAnswer.ACCEPT);
        assertThat(rlm(otel(), "recover").exitCode()).isZero();
        journal().runs().forEach(this::tellsTheWhole);
    }

    @Test
    void whatIsNotWhole_isTold() throws Exception {
        killInTheMiddle();
        Path events = journalFiles().stream()
                .filter(file -> file.endsWith("events-1.jsonl"))
                .findFirst()
                .orElseThrow();
        String whole = Files.readString(events);
        int middle = whole.indexOf('\n') + 1;
        Files.writeString(events, whole.substring(0, middle) + "damage\n" + whole.substring(middle) + "torn");
        Path torn = events.resolveSibling("events-1.torn");

        Cli recovered = rlm(Map.of(), "recover", "--json");

        assertThat(recovered.exitCode()).isZero();
        assertThat(recovered.out())
                .contains("\"damaged_lines\":1", "\"set_aside\":[{\"file\":\"" + torn + "\",\"bytes\":4}]");
        assertThat(torn).hasContent("torn");

        Files.delete(events.resolveSibling("recovery.jsonl"));
        Files.writeString(events, Files.readString(events) + "again");
        assertThat(rlm(Map.of(), "recover").out())
                .isEqualToNormalizingNewlines("""
                        journal  1 process had died, 0 runs abandoned
                        damage   5 bytes behind the last whole line set aside in %s
                        damage   1 damaged line was passed over
                        """.formatted(events.resolveSibling("events-1.2.torn")));
    }

    @Test
    void livingProcess_isLeftAlone() throws Exception {
        startAndAwaitSteps(otel());
        int before = journalFiles().size();

        Cli recovered = rlm(otel(), "recover");

        assertThat(recovered.exitCode()).isZero();
        assertThat(recovered.out()).isEqualToNormalizingNewlines("""
                        journal  nothing to recover
                        left     1 writer alone: alive, or in the hands of another recovery
                        """);
        assertThat(journal().runs()).allMatch(run -> run.state() == RunState.RUNNING);
        assertThat(journalFiles()).hasSize(before);
    }

    @Tag("thorough")
    @Test
    void nextStart_recovers_andSendsInTheBackground() throws Exception {
        killInTheMiddle();
        Set<String> killed =
                journal().runs().stream().map(run -> run.run().runId()).collect(Collectors.toSet());

        Path own = Files.createDirectories(folder.resolve("next"));
        try (RlmProcess next = RlmProcess.start(own, otel(), "run", "--journal", journalPath())) {
            assertThat(next.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(next.process().exitValue()).isZero();
            assertThat(next.err()).isEqualTo("recovered the journal: " + RECOVERED);
        }

        assertThat(journal().runs())
                .filteredOn(run -> killed.contains(run.run().runId()))
                .allSatisfy(run -> {
                    assertThat(run.state()).isEqualTo(RunState.ABANDONED);
                    tellsTheWhole(run);
                });
        assertThat(rlm(otel(), "run").err()).isEmpty();
        assertThat(receiver.spans("rlm.run")).hasSize(3 + 2 * 80);
    }

    @Tag("thorough")
    @Test
    void nextStart_isNotHeldUp_byABackEndThatDoesNotAnswer() throws Exception {
        killInTheMiddle();
        receiver.answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
        Cli next = rlm(otel(), "run", "--samples", "1", "--json");
        assertThat(next.exitCode()).isZero();
        assertThat(next.out()).contains("\"completed\":4");
        assertThat(next.err()).contains("recover goes on with it");
        receiver.answer(OtlpSignal.TRACES, OtlpAnswer.ACCEPT);
        assertThat(rlm(otel(), "recover").out()).contains("sent     3 runs");
    }

    @Test
    void terminatedProcess_endsItsRunsAndSteps_inTheJournalAndAtTheBackEnd() throws Exception {
        try (RunningCli running = RunningCli.start(folder, otel(), threeRuns())) {
            awaitSteps();
            assertThat(running.stop()).isEqualTo(130); // long before the runs would end
        }
        assertThat(journal().runs()).hasSize(CONCURRENCY);
        for (RunSummary run : journal().runs()) {
            assertThat(Objects.requireNonNull(run.end()).outcome()).isEqualTo(Outcome.ABORTED);
            String id = run.run().runId();
            assertThat(journal().events(id))
                    .filteredOn(StepEnded.class::isInstance)
                    .hasSize((int) journal().events(id).stream()
                            .filter(StepStarted.class::isInstance)
                            .count())
                    .last()
                    .satisfies(step -> assertThat(((StepEnded) step).success()).isFalse());
        }
        assertThat(receiver.spans("rlm.run"))
                .hasSize(CONCURRENCY)
                .allMatch(span -> span.status() == StatusCode.ERROR)
                .allSatisfy(span -> assertThat(span.attributes()).containsEntry("error.type", "aborted"));
        assertThat(receiver.spans("rlm.step").stream().filter(span -> span.status() == StatusCode.ERROR))
                .hasSize(CONCURRENCY)
                .allSatisfy(span -> assertThat(span.attributes()).containsEntry("error.type", "aborted"));
        assertThat(rlm(otel(), "recover").out()).isEqualTo("journal  nothing to recover\n");
    }

    private void killInTheMiddle(Map<String, String> variables) throws Exception {
        Process process = startAndAwaitSteps(variables);
        process.destroyForcibly();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    /** Likewise one that sends to no back end: a copy of the journal of the first, which later tests are given too. */
    private void killInTheMiddle() throws Exception {
        Path first = ofOneKilled.resolve(".rlm");
        if (Files.exists(first)) {
            copy(first, folder.resolve(".rlm"));
        } else {
            killInTheMiddle(Map.of());
            copy(folder.resolve(".rlm"), first);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    private Process startAndAwaitSteps(Map<String, String> variables) throws IOException {
        started = RlmProcess.start(folder, variables, threeRuns());
        awaitSteps();
        return started.process();
    }

    /** A job of three runs, which take minutes to come to their ends. */
    private String[] threeRuns() throws IOException {
        Path dataset = folder.resolve("dataset.jsonl");
        String problem = "{\"question\":\"?\",\"answer\":\"" + "<<1+1=2>>".repeat(STEPS) + "\\n#### 2\"}\n";
        Files.writeString(dataset, problem.repeat(CONCURRENCY));
        return new String[] {
            "run",
            "--dataset",
            dataset.toString(),
            "--max-steps",
            String.valueOf(STEPS),
            "--error-rate",
            "0",
            "--latency",
            "300ms",
            "--concurrency",
            String.valueOf(CONCURRENCY)
        };
    }

    /** Waits until the runs are in their third steps or so. */
    private void awaitSteps() {
        await().atMost(PATIENCE).until(() -> Journal.isAt(folder.resolve(".rlm")));
        await().atMost(PATIENCE).until(() -> {
            List<RunSummary> runs = journal().runs();
            return runs.size() == CONCURRENCY && runs.stream().allMatch(run -> run.steps() >= 1);
        });
    }

    private List<Path> journalFiles() throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve(".rlm"))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private Journal journal() {
        return Journal.open(folder.resolve(".rlm"));
    }

    private String journalPath() {
        return folder.resolve(".rlm").toString();
    }

    private Map<String, String> otel() {
        return Map.of(
                "RLM_OTEL_ENABLED", "true",
                "RLM_OTEL_METRICS_ENABLED", "false",
                "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint());
    }

    private Cli rlm(Map<String, String> variables, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--journal", journalPath()));
        return Cli.with(new HashMap<>(variables), all.toArray(new String[0]));
    }

    private static String id(OtlpSpan span) {
        return span.traceId() + span.spanId();
    }

    private Map<String, List<OtlpSpan>> spansById() {
        return receiver.spans().stream().collect(Collectors.groupingBy(RecoverTest::id));
    }
}

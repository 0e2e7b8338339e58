package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.RunSummary;
import dev.rlm.sinks.testkit.Events;
import dev.rlm.sinks.testkit.FreePort;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs that are sent by OTLP and collected, against what they were. */
@Timeout(180)
class RoundTripTest {
    /** What no span has, besides heartbeats: without them the end's number tells how many other events there were. */
    private static final Set<String> LEFT_OUT = Set.of(
            "RunEnded.seq",
            "RunInfo.params",
            "TraceContext.tracestate",
            "TraceContext.baggage",
            "StepStarted.observation",
            "ModelCalled.tokens",
            "ToolCalled.parentSeq", // of the example, which names a step: it is the step's all the same
            "SpanRecorded.parentSeq",
            "ArtifactSaved.path",
            "ArtifactSaved.absence",
            "RewardGiven.solved",
            "RunStatus.details",
            "RunEnded.rewards", // of the example, which has fewer events than it tells
            "RunEnded.metrics",
            "RunEnded.runPath");

    @TempDir
    private Path folder;

    private Map<String, String> journalOnly() {
        return Map.of("RLM_JSONL_DIR", folder.resolve("original").toString());
    }

    private Map<String, String> sending(RunningCollector to, String protocol) {
        Map<String, String> variables = new HashMap<>(journalOnly());
        variables.put("RLM_OTEL_ENABLED", "true");
        variables.put("RLM_CAPTURE_CONTENT", "full");
        variables.put("OTEL_EXPORTER_OTLP_ENDPOINT", protocol.equals("grpc") ? to.grpcUrl() : to.url());
        variables.put("OTEL_EXPORTER_OTLP_PROTOCOL", protocol);
        return variables;
    }

    private RunningCollector collector() throws Exception {
        return RunningCollector.start(folder, "--grpc-port", Integer.toString(FreePort.find()));
    }

    @Test
    void portOfGrpc_thatIsTaken_isNamed() throws Exception {
        try (java.net.ServerSocket taken = new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            Map<String, String> variables =
                    Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString());
            Cli rlm = Cli.with(variables, "collect", "--port", "0", "--grpc-port", port);
            assertThat(rlm.exitCode()).isEqualTo(2);
            assertThat(rlm.err()).contains("--grpc-port=" + port + " cannot be had: ");
        }
    }

    private void publish(Stream<Event> events) {
        try (Sinks sinks = Sinks.builder().config(SinkConfig.of(journalOnly())).build()) {
            events.forEach(sinks::publish);
            assertThat(sinks.flush(Duration.ofSeconds(20)).isComplete()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http/protobuf", "grpc"})
    void runs_comeBackAsTheyWere_butForWhatSpansDoNotHave(String protocol) throws Exception {
        Cli.with(journalOnly(), "run", "--samples", "3");
        publish(Events.full("full").stream());
        try (RunningCollector collector = collector()) {
            Cli sent = Cli.with(sending(collector, protocol), "resend");
            assertThat(sent.exitCode()).as(sent.err()).isZero();

            Set<String> differences = new TreeSet<>();
            Journal original = Journal.open(folder.resolve("original"));
            assertThat(original.runs()).hasSize(13);
            for (RunSummary run : original.runs()) {
                differences.addAll(differences(original.events(run.runId()), collector.events(run.runId())));
            }

            assertThat(differences).containsExactlyInAnyOrderElementsOf(LEFT_OUT);
        }
    }

    @Test
    void runsSentTwice_andSentAfterARestart_areThereOnce() throws Exception {
        Cli.with(journalOnly(), "run", "--samples", "3");
        List<RunEvent> once;
        String runId = Journal.open(folder.resolve("original")).runs().get(0).runId();
        try (RunningCollector collector = collector()) {
            assertThat(Cli.with(sending(collector, "http/protobuf"), "resend").exitCode())
                    .isZero();
            once = collector.events(runId);
            assertThat(Cli.with(sending(collector, "http/protobuf"), "resend").exitCode())
                    .isZero();
            collector.stop();
            assertThat(collector.err()).containsPattern("collected (\\d+) spans \\(\\d+ again\\), made 12 runs of");
        }
        try (RunningCollector collector = collector()) {
            assertThat(Cli.with(sending(collector, "http/protobuf"), "resend").exitCode())
                    .isZero();
            assertThat(collector.events(runId)).isEqualTo(once);
            collector.stop();
            assertThat(collector.err()).contains("made 0 runs of 0 events");
            assertThat(collector.runs()).hasSize(12);
        }
    }

    @Test
    void runsThatAreCollectedLive_areThoseOfTheJournal() throws Exception {
        try (RunningCollector collector = collector()) {
            assertThat(Cli.with(sending(collector, "http/protobuf"), "run", "--samples", "3")
                            .exitCode())
                    .isZero();
            Journal original = Journal.open(folder.resolve("original"));
            for (RunSummary run : original.runs()) {
                assertThat(differences(original.events(run.runId()), collector.events(run.runId())))
                        .isSubsetOf(LEFT_OUT);
            }
        }
    }

    @Test
    void rewardAfterTheEnd_isKept() throws Exception {
        RunStarted started = Events.minimal("late").stream()
                .filter(RunStarted.class::isInstance)
                .map(RunStarted.class::cast)
                .findFirst()
                .orElseThrow();
        Event reward = RewardGivenBuilder.builder()
                .run(started.run())
                .seq(12)
                .nanos(2_000_000)
                .startNanos(1_000_000)
                .source("person")
                .value(0.5)
                .build();
        publish(Stream.concat(Events.minimal("late").stream(), Stream.of(reward)));
        try (RunningCollector collector = collector()) {
            assertThat(Cli.with(sending(collector, "http/protobuf"), "resend").exitCode())
                    .isZero();
            assertThat(collector.events("late"))
                    .filteredOn(event -> event.seq() == 12)
                    .containsExactly((RunEvent) reward);
        }
    }

    private static Set<String> differences(List<RunEvent> all, List<RunEvent> after) {
        List<RunEvent> before =
                all.stream().filter(event -> !(event instanceof Heartbeat)).toList();
        assertThat(after).hasSameSizeAs(before);
        Set<String> differences = new TreeSet<>();
        for (int i = 0; i < before.size(); i++) {
            compare("event", before.get(i), after.get(i), differences);
        }
        return differences;
    }

    private static void compare(String path, @Nullable Object one, @Nullable Object other, Set<String> differences) {
        if (one instanceof Record record && other != null && record.getClass() == other.getClass()) {
            for (RecordComponent component : record.getClass().getRecordComponents()) {
                compare(
                        record.getClass().getSimpleName() + "." + component.getName(),
                        value(component, one),
                        value(component, other),
                        differences);
            }
        } else if (!Objects.equals(one, other)) {
            differences.add(path);
        }
    }

    private static @Nullable Object value(RecordComponent component, Object record) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(String.valueOf(e.getMessage()), e);
        }
    }
}

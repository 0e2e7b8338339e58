package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.otel.backend.OtlpAnswer;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A journal that is sent to a back end once more. */
@Timeout(180)
class ResendTest {
    private static final int RUNS = 80;

    @TempDir
    private Path folder;

    private OtlpReceiver live;
    private OtlpReceiver receiver;

    @BeforeEach
    void startReceivers() throws IOException {
        live = OtlpReceiver.start();
        receiver = OtlpReceiver.start();
    }

    @AfterEach
    void stopReceivers() {
        live.close();
        receiver.close();
    }

    @Test
    void spans_areThoseOfTheLiveRuns() {
        Cli.with(variables(live), "run", "--samples", "5");
        assertThat(resend().exitCode()).isZero();
        assertThat(byId(receiver)).hasSizeGreaterThan(100).isEqualTo(byId(live));
        assertThat(receiver.requests(OtlpSignal.METRICS)).isEmpty();
    }

    @Test
    void spans_ofEveryKindOfEvent_areThoseOfTheLiveRuns() {
        Map<String, String> variables = new HashMap<>(variables(live));
        variables.put("RLM_CAPTURE_CONTENT", "full");
        try (Sinks sinks = Sinks.builder().config(SinkConfig.of(variables)).build()) {
            Stream.of(
                            Events.full("full", "text \u0001 \ud83d\ude00 \ud800 end"),
                            Events.full("long", "long ".repeat(2_000)),
                            Events.minimal("minimal"))
                    .flatMap(List<Event>::stream)
                    .forEach(sinks::publish);
            assertThat(sinks.flush(Duration.ofSeconds(20)).isComplete()).isTrue();
        }
        variables.putAll(variables(receiver));
        variables.put("RLM_CAPTURE_CONTENT", "full");

        assertThat(Cli.with(variables, "resend").exitCode()).isZero();

        assertThat(byId(receiver)).hasSizeGreaterThan(5).isEqualTo(byId(live));
    }

    @Test
    void sentTwice_eachSpanIsTheSame() {
        Cli.with(journalOnly(), "run", "--samples", "2");
        resend();
        Map<String, OtlpSpan> once = byId(receiver);
        resend();
        assertThat(receiver.spans()).hasSize(2 * once.size());
        assertThat(byId(receiver)).isEqualTo(once);
    }

    @Test
    void summary_tellsWhatWasSentWhere() {
        Cli.with(journalOnly(), "run");
        Cli sent = resend();
        assertThat(sent.err()).isEmpty();
        assertThat(sent.out())
                .startsWith("sent     80 of 80 runs, ")
                .containsPattern("otel     (\\d+) of \\1 events delivered: " + receiver.httpEndpoint()
                        + " \\(http/protobuf\\)\n");
        assertThat(resend("--json").out()).contains("\"runs\":80", "\"complete\":true", "\"live_runs\":0");
    }

    @Test
    void runs_areChosen() {
        Cli.with(journalOnly(), "run");
        List<String> ids = Journal.open(journal()).runs().stream()
                .map(run -> run.run().runId())
                .toList();
        assertThat(resend("--run", ids.get(3), "--run", ids.get(7)).out()).startsWith("sent     2 of 2 runs");
        assertThat(receiver.spans("rlm.run"))
                .extracting(span -> span.attributes().get("rlm.run_id"))
                .containsExactlyInAnyOrder(ids.get(3), ids.get(7));
        assertThat(resend("--since", "1h").out()).startsWith("sent     80 of 80 runs");
        assertThat(resend("--since", "2100-01-01").out()).startsWith("sent     0 of 0 runs");
        assertThat(resend("--run", "nope").exitCode()).isEqualTo(2);
        assertThat(resend("--since", "noon")).satisfies(wrong -> {
            assertThat(wrong.exitCode()).isEqualTo(2);
            assertThat(wrong.err()).contains("--since", "neither a time such as", "nor an age such as");
        });
    }

    @Test
    void metrics_areSentWhereTheyAreAskedFor() {
        Cli.with(journalOnly(), "run");
        assertThat(resend("--metrics").exitCode()).isZero();
        assertThat(receiver.numbers("rlm.runs")).isNotEmpty();
    }

    @Test
    void noSinkChosen_isAUsageError_thatSaysHowToChooseOne() {
        Cli.with(journalOnly(), "run", "--samples", "1");
        Cli none = Cli.with(journalOnly(), "resend");
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err().lines())
                .singleElement()
                .asString()
                .startsWith("rlm: no sink is chosen to send to: ")
                .contains("otel: RLM_OTEL_ENABLED=true turns it on");
    }

    @Test
    void journal_isNotSentIntoItself_andIsCopiedElsewhere() throws IOException {
        Cli.with(journalOnly(), "run");
        Map<Path, byte[]> before = files(journal());
        Cli into = resend("--sink", "jsonl");
        assertThat(into.exitCode()).isEqualTo(2);
        assertThat(into.err()).contains("sink 'jsonl' would write into the journal that is read");
        Path writer =
                Path.of(Journal.open(journal()).runs().get(0).folders().get(0).toString());
        assertThat(Cli.with(journalOnly(), "resend", "--sink", "jsonl", "--journal", writer.toString())
                        .exitCode())
                .isEqualTo(2);

        Map<String, String> copying = new HashMap<>(journalOnly());
        copying.put("RLM_JSONL_DIR", folder.resolve("copy").toString());
        Cli copied = Cli.with(
                copying, "resend", "--sink", "jsonl", "--journal", journal().toString());

        assertThat(copied.exitCode()).isZero();
        Journal copy = Journal.open(folder.resolve("copy"));
        Journal original = Journal.open(journal());
        assertThat(copy.runs()).hasSize(RUNS);
        original.runs()
                .forEach(run -> assertThat(copy.events(run.run().runId()))
                        .isEqualTo(original.events(run.run().runId())));
        Map<Path, byte[]> after = files(journal());
        assertThat(after.keySet()).isEqualTo(before.keySet());
        after.forEach((file, bytes) -> assertThat(bytes).isEqualTo(before.get(file)));
    }

    @Test
    void deadBackEnd_isAFailure_thatSaysWhatToDo() {
        Cli.with(journalOnly(), "run");
        receiver.answer(OtlpSignal.TRACES, OtlpAnswer.REFUSE);
        Cli failed = resend();
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.err()).contains("not everything has arrived at 'otel'", "resend again");
        receiver.answer(OtlpSignal.TRACES, OtlpAnswer.ACCEPT);
        Cli again = resend();
        assertThat(again.exitCode()).as(again.err()).isZero();
    }

    @Test
    void sampler_thatLeavesRunsOut_isNoFailure() {
        Cli.with(journalOnly(), "run");
        Map<String, String> sampled = new HashMap<>(variables(receiver));
        sampled.put("OTEL_TRACES_SAMPLER", "always_off");
        assertThat(Cli.with(sampled, "resend").exitCode()).isZero();
        assertThat(receiver.spans()).isEmpty();
    }

    @Test
    void share_isTheSameAsThatOfTheLiveRuns_andLeavesNothingToWarnOf() {
        Map<String, String> share = Map.of("RLM_OTEL_SUCCESS_RATIO", "0.3", "RLM_OTEL_KEEP_REWARD", "0..");
        Cli ran = Cli.with(with(variables(live), share), "run", "--samples", "20");
        Cli sent = Cli.with(with(variables(receiver), share), "resend");

        assertThat(ran.err()).isEmpty();
        assertThat(sent.err()).isEmpty();
        assertThat(sent.exitCode()).isZero();
        assertThat(byId(receiver)).isEqualTo(byId(live));
        List<String> details = receiver.spans("rlm.run").stream()
                .map(run -> String.valueOf(run.attributes().get("rlm.detail")))
                .toList();
        assertThat(details).hasSize(80).contains("dropped", "null");
        assertThat(Cli.with(journalOnly(), "report", "--json").out()).doesNotContain("not_sampled");
    }

    @Test
    void runWhoseProcessDied_isKeptWhole() throws IOException {
        try (Sinks sinks = Sinks.builder().config(SinkConfig.of(journalOnly())).build()) {
            Events.full("dead").stream()
                    .filter(event -> !(event instanceof RunEnded))
                    .forEach(sinks::publish);
            sinks.flush(Duration.ofSeconds(20));
            copy(journal(), folder.resolve("of-the-dead"));
        }
        Map<String, String> none = with(variables(receiver), Map.of("RLM_OTEL_SUCCESS_RATIO", "0"));

        Cli sent = Cli.with(
                none, "resend", "--journal", folder.resolve("of-the-dead").toString());

        assertThat(sent.exitCode()).as(sent.err()).isZero();
        assertThat(receiver.spans("rlm.step")).isNotEmpty();
        assertThat(receiver.spans("rlm.run"))
                .singleElement()
                .satisfies(run -> assertThat(run.attributes())
                        .containsEntry("rlm.outcome", "abandoned")
                        .doesNotContainKey("rlm.detail"));
    }

    private static Map<String, String> with(Map<String, String> variables, Map<String, String> more) {
        Map<String, String> all = new HashMap<>(variables);
        all.putAll(more);
        return all;
    }

    private static void copy(Path from, Path to) throws IOException {
        for (Map.Entry<Path, byte[]> file : files(from).entrySet()) {
            Path copied = to.resolve(from.relativize(file.getKey()).toString());
            Files.createDirectories(copied.getParent());
            Files.write(copied, file.getValue());
        }
    }

    @Test
    void missingJournal_isAUsageError() {
        Cli missing = resend();
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err()).contains("there is no journal at " + journal());
    }

    @Tag("thorough")
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void interrupt_stopsIt_andSaysSo() throws Exception {
        Cli.with(journalOnly(), "run", "--samples", "100", "--rollouts", "20");
        receiver.answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
        try (RlmProcess process = RlmProcess.start(folder, variables(receiver), "resend")) {
            process.await(() -> !receiver.requests(OtlpSignal.TRACES).isEmpty());
            process.signal("INT");
            assertThat(process.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.process().exitValue()).isEqualTo(130);
            assertThat(process.err()).contains("interrupted: ", "of 2000 runs had been sent");
        }
    }

    @Test
    void runThatGoesOn_isLeftOut() {
        Map<String, String> recording = journalOnly();
        try (Sinks sinks = Sinks.builder().config(SinkConfig.of(recording)).build()) {
            Events.minimal("ended").forEach(sinks::publish);
            Events.full("live").stream()
                    .filter(event -> !(event instanceof RunEnded))
                    .forEach(sinks::publish);
            assertThat(sinks.flush(Duration.ofSeconds(20)).isComplete()).isTrue();
            Cli sent = resend();
            assertThat(sent.exitCode()).as(sent.out() + sent.err()).isZero();
            assertThat(sent.out()).startsWith("sent     1 of 1 runs").contains("left out 1 run that goes on\n");
            assertThat(receiver.spans("rlm.run")).hasSize(1);
        }
    }

    private Path journal() {
        return folder.resolve("journal");
    }

    private Cli resend(String... arguments) {
        return Cli.with(
                variables(receiver),
                Stream.concat(Stream.of("resend"), Stream.of(arguments)).toArray(String[]::new));
    }

    private Map<String, String> journalOnly() {
        return Map.of("RLM_JSONL_DIR", journal().toString());
    }

    /** The journal and a receiver. */
    private Map<String, String> variables(OtlpReceiver to) {
        return Map.of(
                "RLM_JSONL_DIR", journal().toString(),
                "RLM_OTEL_ENABLED", "true",
                "OTEL_EXPORTER_OTLP_ENDPOINT", to.httpEndpoint());
    }

    private static Map<String, OtlpSpan> byId(OtlpReceiver receiver) {
        Map<String, OtlpSpan> spans = new TreeMap<>();
        receiver.spans().forEach(span -> {
            OtlpSpan before = spans.put(span.traceId() + span.spanId(), span);
            assertThat(before == null ? span : before).isEqualTo(span);
        });
        return spans;
    }

    private static Map<Path, byte[]> files(Path directory) throws IOException {
        Map<Path, byte[]> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(file, Files.readAllBytes(file));
            }
        }
        return contents;
    }
}

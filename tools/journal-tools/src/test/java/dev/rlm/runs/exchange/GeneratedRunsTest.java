package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.TokenTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Properties of what comes out of a journal and goes into another, over runs of all kinds. */
@Timeout(900)
class GeneratedRunsTest {
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    private Path folder;

    @Test
    void runs_areTheSameBehindExportAndImport_andTheirTokensAreInSamplesOnce() throws IOException {
        check(200, 7);
    }

    @Test
    @Tag("thorough")
    void tenThousandRuns() throws IOException {
        check(10_000, 8);
    }

    private void check(int runs, long seed) throws IOException {
        Exchange journal = new Exchange(folder.resolve("journal"));
        journal.record(sinks -> new GeneratedRuns(seed).record(sinks, runs));
        assertThat(Journal.open(journal.journal()).runs()).hasSize(runs);
        exportAndImport(journal);
        tokens(journal);
    }

    private void exportAndImport(Exchange journal) {
        Exchange other = new Exchange(folder.resolve("other"));
        Path out = folder.resolve("out");
        succeed(journal.export("atif", out));
        succeed(other.run("import", "--format", "atif", out.toString()));

        Map<String, String> expected = hashes(journal);
        assertThat(hashes(other).entrySet().stream()
                        .filter(run -> !run.getValue().equals(expected.get(run.getKey())))
                        .map(Map.Entry::getKey))
                .as("runs that differ")
                .isEmpty();
        assertThat(report(other)).isEqualTo(report(journal));
    }

    private static Cli succeed(Cli done) {
        assertThat(done.exitCode()).as(done.err()).isZero();
        return done;
    }

    /** The report, without the name of the journal. */
    private static List<String> report(Exchange exchange) {
        return succeed(exchange.run("report")).out().lines().skip(1).toList();
    }

    /** Numbers of all events by run, and hashes of all that they tell, but for where their journal lies. */
    private static Map<String, String> hashes(Exchange exchange) {
        Map<String, String> hashes = new TreeMap<>();
        Journal journal = Journal.open(exchange.journal());
        journal.read(
                journal.runs(),
                (run, events) -> hashes.put(
                        run.runId(),
                        events.size() + " "
                                + events.stream()
                                        .map(GeneratedRunsTest::withoutPlace)
                                        .toList()
                                        .hashCode()));
        assertThat(hashes).hasSize(journal.runs().size());
        return hashes;
    }

    private static RunEvent withoutPlace(RunEvent event) {
        return event instanceof RunEnded end
                ? RunEndedBuilder.builder(end).runPath(null).build()
                : event;
    }

    private void tokens(Exchange journal) throws IOException {
        Path out = folder.resolve("tokens.jsonl");
        succeed(journal.export("tokens", out, "--include-unrewarded"));
        Map<String, List<JsonNode>> samples = new HashMap<>();
        try (Stream<String> lines = Files.lines(out)) {
            lines.map(JSON::readTree)
                    .forEach(sample -> samples.computeIfAbsent(
                                    sample.path("run_id").asString(), run -> new ArrayList<>())
                            .add(sample));
        }
        Journal read = Journal.open(journal.journal());
        long[] calls = new long[2];
        read.read(read.runs(), (run, events) -> {
            Map<Long, TokenTrace> fit = events.stream()
                    .filter(ModelCalled.class::isInstance)
                    .map(ModelCalled.class::cast)
                    .filter(call -> call.reply() != null && call.tokens() != null)
                    .filter(call -> isOfTheAgent(call, events) && isWhole(Objects.requireNonNull(call.tokens())))
                    .collect(Collectors.toMap(RunEvent::seq, call -> Objects.requireNonNull(call.tokens())));
            List<Long> exported = new ArrayList<>();
            samples.getOrDefault(run.runId(), List.of()).forEach(sample -> exported.addAll(check(sample, fit)));
            assertThat(exported).containsExactlyInAnyOrderElementsOf(fit.keySet());
            calls[0] += exported.size();
            calls[1] += samples.getOrDefault(run.runId(), List.of()).size();
        });
        assertThat(calls[1]).as("samples of %d calls", calls[0]).isPositive().isLessThan(calls[0]);
    }

    private static boolean isOfTheAgent(ModelCalled call, List<RunEvent> events) {
        return call.parentSeq() == 0
                || events.stream().anyMatch(event -> event instanceof SpanRecorded && event.seq() == call.parentSeq());
    }

    private static boolean isWhole(TokenTrace tokens) {
        int logs = tokens.logProbabilities().size();
        return !tokens.promptIds().isEmpty()
                && !tokens.responseIds().isEmpty()
                && (logs == 0 || logs == tokens.responseIds().size());
    }

    /** Holds a sample against the calls that it is made of; the numbers of these. */
    private static List<Long> check(JsonNode sample, Map<Long, TokenTrace> fit) {
        List<Integer> ids = Stream.of("prompt_token_ids", "response_token_ids")
                .flatMap(field -> sample.path(field).valueStream())
                .map(JsonNode::asInt)
                .toList();
        int prompt = sample.path("prompt_token_ids").size();
        List<Integer> mask = new ArrayList<>(Collections.nCopies(ids.size(), 0));
        List<Double> logs = new ArrayList<>(Collections.nCopies(ids.size(), 0.0));
        List<Long> calls =
                sample.path("calls").valueStream().map(JsonNode::asLong).toList();
        boolean withLogs = !sample.path("response_logprobs").isNull();
        for (long seq : calls) {
            TokenTrace tokens = Objects.requireNonNull(fit.get(seq));
            int from = tokens.promptIds().size();
            int to = from + tokens.responseIds().size();
            assertThat(ids.subList(0, from)).isEqualTo(tokens.promptIds());
            assertThat(ids.subList(from, to)).isEqualTo(tokens.responseIds());
            assertThat(tokens.logProbabilities().isEmpty()).isNotEqualTo(withLogs);
            IntStream.range(from, to).forEach(i -> {
                assertThat(mask.set(i, 1)).as("trained on once").isZero();
                logs.set(i, withLogs ? tokens.logProbabilities().get(i - from) : 0.0);
            });
        }
        assertThat(sample.path("loss_mask").valueStream().map(JsonNode::asInt))
                .containsExactlyElementsOf(mask.subList(prompt, mask.size()));
        if (withLogs) {
            assertThat(sample.path("response_logprobs").valueStream().map(JsonNode::asDouble))
                    .containsExactlyElementsOf(logs.subList(prompt, logs.size()));
        }
        return calls;
    }
}

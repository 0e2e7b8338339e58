package dev.rlm.runs.report.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.runs.report.Recorded;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.TokenTrace;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** Faults in the tokens of runs, as {@code rlm report --tokens} tells them. */
class TokenReportTest {
    private static final List<Integer> FIRST = List.of(1, 2);
    private static final List<Integer> SECOND = List.of(1, 2, 3, 4, 50);
    private static final List<Double> LOGS = List.of(-0.5, -0.25);

    @TempDir
    Path directory;

    private Recorded recorded() {
        return new Recorded(directory);
    }

    private static void turn(Run run, String reply, TokenTrace tokens, List<String> texts, String finish) {
        try (Step step = run.startStep();
                ModelCall call = step.startModelCall("p", "m")) {
            call.message("user", "hi").reply(reply).finishReason(finish);
            if (texts.isEmpty()) {
                call.tokens(tokens);
            } else {
                call.tokens(tokens, texts);
            }
        }
    }

    private static void first(Run run) {
        turn(run, "It is", new TokenTrace(FIRST, List.of(3, 4), LOGS, "w1"), List.of("It", " is<end>"), "tool_calls");
    }

    private void clean() {
        recorded().record(Recorded.spec("m", "clean"), run -> {
            first(run);
            turn(run, "seven", new TokenTrace(SECOND, List.of(5, 6), LOGS, "w1"), List.of("sev", "en"), "stop");
            try (Evaluation judge = run.startEvaluation("judge");
                    ModelCall call = judge.startModelCall("p", "m")) {
                call.message("user", "good?").reply("yes").finishReason("length");
                judge.reward(1);
            }
            run.complete("seven");
        });
    }

    /** A second turn that is not as the rule wants it. */
    record Fault(String rule, TokenTrace tokens, List<String> texts, String finish) {}

    static Stream<Fault> faults() {
        List<Integer> ids = List.of(5, 6);
        List<String> texts = List.of("sev", "en");
        TokenTrace clean = new TokenTrace(SECOND, ids, LOGS, "w1");
        return Stream.of(
                new Fault("broken_prefix", new TokenTrace(List.of(1, 2, 3, 9), ids, LOGS, "w1"), texts, "stop"),
                new Fault("missing_ids", new TokenTrace(List.of(), ids, LOGS, "w1"), texts, "stop"),
                new Fault("missing_logprobs", new TokenTrace(SECOND, ids, List.of(), "w1"), texts, "stop"),
                new Fault("logprob_lengths", new TokenTrace(SECOND, ids, List.of(-0.5), "w1"), texts, "stop"),
                new Fault("impossible_logprobs", new TokenTrace(SECOND, ids, List.of(-0.5, 0.5), "w1"), texts, "stop"),
                new Fault("weights_changed", new TokenTrace(SECOND, ids, LOGS, "w2"), texts, "stop"),
                new Fault("truncated_reply", clean, texts, "length"),
                new Fault("text_lengths", clean, List.of("seven"), "stop"),
                new Fault("text_mismatch", clean, List.of("eig", "ht"), "stop"));
    }

    private static Map<String, String> verdicts(JsonNode report) {
        return report.path("tokens")
                .valueStream()
                .collect(Collectors.toMap(
                        finding -> finding.path("rule").asString(),
                        finding -> finding.path("verdict").asString()));
    }

    @Test
    void cleanRecording_hasNoFindings() {
        clean();

        JsonNode report = recorded().json("--tokens");
        assertThat(verdicts(report))
                .hasSize(10)
                .allSatisfy((rule, verdict) -> assertThat(verdict).as(rule).isEqualTo("ok"));
        assertThat(report.path("calls").asInt()).isEqualTo(2);
        assertThat(report.path("calls_with_ids").asInt()).isEqualTo(2);
        assertThat(report.path("calls_without_ids").asInt()).isZero();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void fault_isFound_andNoOther_withItsRunAndCall(Fault fault) {
        clean();
        recorded().record(Recorded.spec("m", "faulty").runId("faulty"), run -> {
            first(run);
            turn(run, "seven", fault.tokens(), fault.texts(), fault.finish());
            run.complete("seven");
        });

        String rule = fault.rule();
        for (JsonNode finding : recorded().json("--tokens").path("tokens")) {
            boolean expected = finding.path("rule").asString().equals(rule);
            assertThat(finding.path("verdict").asString())
                    .as(finding.toString())
                    .isEqualTo(expected ? "found" : "ok");
            assertThat(finding.at("/figures/found").asInt()).isEqualTo(expected ? 1 : 0);
            assertThat(finding.at("/runs/0/run_id").asString("")).isEqualTo(expected ? "faulty" : "");
            assertThat(finding.at("/runs/0/calls").size()).isEqualTo(expected ? 1 : 0);
        }
        String title = rule.replace('_', ' ');
        assertThat(recorded().report("--tokens").out()).containsPattern(title + ": .*faulty calls \\d+");
        assertThat(recorded().report("--tokens", "--markdown").out())
                .contains("### Tokens", "| " + title.replace("_", "\\_") + " | found | 1 |");
        assertThat(recorded().report("--tokens", "--csv").out()).contains("\r\n" + rule + ",found,1,");
    }

    @Test
    void recordWithoutTokens_cannotBeTold() {
        recorded().record(Recorded.spec("m", "hosted").runId("hosted"), run -> {
            try (Step step = run.startStep();
                    ModelCall call = step.startModelCall("p", "m")) {
                call.message("user", "hi").reply("ho");
            }
            run.complete("ho");
        });

        JsonNode report = recorded().json("--tokens");
        assertThat(verdicts(report))
                .containsEntry("missing_ids", "found")
                .containsEntry("text_mismatch", "cannot be told")
                .containsEntry("truncated_reply", "cannot be told");
        assertThat(report.path("calls_without_ids").asInt()).isEqualTo(1);
        assertThat(recorded().report("--tokens").out())
                .contains("0 of 1 model call has token ids of prompt and response");
    }

    @Test
    void redactedText_isFound_whereThereAreIds() {
        recorded().record(Recorded.spec("m", "altered").runId("altered"), run -> {
            turn(run, "[REDACTED:x]", new TokenTrace(FIRST, List.of(3, 4), LOGS, "w1"), List.of(), "stop");
            run.complete("");
        });

        assertThat(verdicts(recorded().json("--tokens"))).containsEntry("altered_text", "found");
    }

    @Test
    void option_thatSaysNothingOfTokens_isRefused() {
        assertThat(recorded().report("--tokens", "--by", "model").err()).contains("--tokens does not take --by");
        assertThat(recorded().report("--tokens", "--k", "2").exitCode()).isEqualTo(2);
    }
}

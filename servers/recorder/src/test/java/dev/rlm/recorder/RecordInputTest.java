package dev.rlm.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalJson;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code rlm record} that is given lines. */
class RecordInputTest {
    private static final String START = "{\"type\":\"run_started\",\"run_id\":\"r\",\"environment\":\"e\"}";

    @TempDir
    private Path folder;

    @Test
    void fewKindsOfLines_makeAWholeRun() throws Exception {
        Cli rlm = record(
                0,
                "{\"type\":\"run_started\",\"environment\":\"my-env\",\"task\":\"What?\"}",
                "{\"type\":\"step_ended\",\"code\":\"a\",\"output\":\"b\",\"reward\":0.5}",
                "{\"type\":\"step_ended\",\"code\":\"c\",\"output\":\"d\",\"reward\":-0.25}",
                "{\"type\":\"reward_given\",\"value\":1}",
                "{\"type\":\"run_ended\",\"final_answer\":42}");

        assertThat(rlm.lines()).hasSize(5).allMatch(line -> line.contains("\"ok\":true,\"synced\":true"));
        List<RunEvent> events = events();
        RunEnded end = (RunEnded) events.get(events.size() - 1);
        assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(end.totalReward()).isEqualTo(1.25);
        assertThat(end.steps()).isEqualTo(2);
        assertThat(end.solved()).isTrue();
        assertThat(of(events, RewardGiven.class)).extracting(RewardGiven::value).containsExactly(0.5, -0.25, 1.0);
        List<StepEnded> steps = of(events, StepEnded.class);
        assertThat(steps.get(0).started().nanos()).isZero();
        assertThat(steps.get(1).started().nanos()).isEqualTo(steps.get(0).nanos());
        assertThat(steps.get(1).cumulativeReward()).isEqualTo(0.25);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "not json",
                "[1]",
                "{\"type\":\"step_end\"}",
                "{\"type\":\"step_ended\",\"rewrad\":1}",
                "{\"type\":\"step_ended\",\"reward\":\"high\"}",
                "{\"type\":\"step_ended\",\"reward\":1,\"reward\":2}",
                "{\"type\":\"reward_given\"}",
                "{\"type\":\"reward_given\",\"value\":1e999}",
                "{\"type\":\"heartbeat\",\"seq\":1}",
                "{\"type\":\"heartbeat\",\"total_reward\":3}",
                "{\"type\":\"heartbeat\",\"environment\":\"other\"}",
                "{\"type\":\"heartbeat\",\"run_id\":\"unknown\"}",
                "{\"type\":\"step_ended\",\"step\":0}",
                "{\"type\":\"step_ended\",\"time\":\"1999-01-01T00:00:00Z\"}",
                "{\"type\":\"tool_called\",\"tool\":\"t\",\"start_nanos\":9,\"nanos\":1}",
                START
            })
    void badLine_isAnsweredWithItsReason_andTheRestGoesOn(String bad) throws Exception {
        Cli rlm = record(1, START, bad, "{\"type\":\"step_ended\",\"reward\":1}", "{\"type\":\"run_ended\"}");

        List<String> answers = rlm.lines();
        assertThat(answers.get(1)).startsWith("{\"line\":2,\"ok\":false,").contains("\"error\":\"");
        assertThat(answers).filteredOn(line -> line.contains("\"ok\":true")).hasSize(3);
        assertThat(rlm.err()).contains("warning: 1 line refused; the first: line 2: ");
        assertThat(of(events(), RunEnded.class)).singleElement().returns(1.0, RunEnded::totalReward);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'type':'step_ended','rewrad':1} | step_ended has no field 'rewrad' (did you mean reward?): it may have type,",
                "{'type':'run_ended','finalAnswer':1} | run_ended has no field 'finalAnswer' (did you mean final_answer?): it may",
                "{'type':'reward_given','value':1,'components':[{'nmae':'a','value':1}]} | a component has no field 'nmae' (did",
                "{'type':'step_ended','xyz':1} | step_ended has no field 'xyz': it may have type,",
                "{'type':'step_end'} | unknown type \\\"step_end\\\" (did you mean step_ended?): known are",
            })
    void misspeltName_isAnsweredWithTheNearest(String line, String error) throws Exception {
        Cli rlm = record(1, START, line.replace('\'', '"'), "{\"type\":\"run_ended\"}");

        assertThat(rlm.lines().get(1)).contains("\"error\":\"" + error);
    }

    @Test
    void file_isKeptWithoutItsSecrets_andShown() throws Exception {
        String secret = "planted-s3cret" + "-value";
        String content = Base64.getEncoder().encodeToString(("a " + secret).getBytes(StandardCharsets.UTF_8));
        String hash = "ab".repeat(32);
        Cli rlm = given(
                Map.of("MY_API_KEY", secret, "RLM_ARTIFACT_SIZE", "100"),
                START,
                "{\"type\":\"artifact_saved\",\"name\":\"notes.txt\",\"content\":\"" + content + "\"}",
                "{\"type\":\"artifact_saved\",\"name\":\"s3\",\"size\":7,\"sha256\":\"" + hash
                        + "\",\"path\":\"/etc/passwd\"}",
                "{\"type\":\"artifact_saved\",\"name\":\"gone\",\"absence\":\"lost\"}",
                "{\"type\":\"artifact_saved\",\"name\":\"big\",\"content\":\"" + "A".repeat(400) + "\"}",
                "{\"type\":\"artifact_saved\",\"name\":\"n\"}",
                "{\"type\":\"artifact_saved\",\"name\":\"n\",\"content\":\"?\"}",
                "{\"type\":\"artifact_saved\",\"name\":\"n\",\"content\":\"AAAA\",\"sha256\":\"" + hash + "\"}",
                "{\"type\":\"run_ended\"}");
        assertThat(rlm.exitCode()).isEqualTo(1);
        assertThat(rlm.out().lines().filter(line -> line.contains("\"ok\":false")))
                .satisfiesExactly(
                        line -> assertThat(line).contains("needs content, or size, sha256 and path"),
                        line -> assertThat(line).contains("content must be bytes in base64"),
                        line -> assertThat(line).contains("sha256 is "));

        List<ArtifactSaved> files = of(events(), ArtifactSaved.class);
        assertThat(files).extracting(ArtifactSaved::absence).containsExactly(null, null, "lost", "too_large");
        assertThat(files)
                .extracting(ArtifactSaved::size)
                .containsExactly(files.get(0).size(), 7L, 0L, 300L);
        Path kept = Journal.open(folder.resolve(".rlm"))
                .runs()
                .get(0)
                .folders()
                .get(0)
                .resolve(files.get(0).path());
        assertThat(Files.readString(kept)).startsWith("a [REDACTED:env:");
        Cli show = rlm(Map.of("RLM_JOURNAL_INDEX", "none"), InputStream.nullInputStream(), "show", "r");
        assertThat(show.exitCode()).as(show.err()).isZero();
        assertThat(show.out())
                .containsPattern("saved +notes.txt  \\d+ bytes  artifacts/"
                        + files.get(0).sha256())
                .contains(
                        "s3  7 bytes  /etc/passwd",
                        "gone  0 bytes  not kept: lost",
                        "big  300 bytes  not kept: too_large");
    }

    @Test
    void numbersOfTraining_areTakenAsTheHubTakesThem() throws Exception {
        String line = "{\"type\":\"metrics_reported\",\"category\":\"%s\",%s\"values\":%s}";
        Cli rlm = record(
                1,
                line.formatted(
                        "trainer", "", "{\"loss\":0.5,\"update\":2,\"global_step\":7,\"note\":\"x\",\"on\":true}"),
                line.formatted("misc", "\"step_field\":\"update\",", "{\"step\":1,\"update\":2,\"kl\":\"NaN\"}"),
                line.formatted("actor", "", "{\"timesteps\":NaN,\"step\":3}"),
                line.formatted("TRAINER", "", "{\"step\":4}"),
                line.formatted("critic", "", "{\"step\":5,\"loss\":0.25}"),
                line.formatted(" ", "", "{\"step\":1}"),
                line.formatted("trainer", "", "{\"loss\":1,\"step\":\"one\"}"),
                line.formatted("trainer", "\"step_field\":\"update\",", "{\"step\":1}"),
                line.formatted("trainer", "\"step_field\":\"epoch\",", "{\"epoch\":1}"));

        assertThat(Journal.open(folder.resolve(".rlm")).metrics())
                .extracting(MetricsReported::category, MetricsReported::stepField, MetricsReported::values)
                .containsExactly(
                        tuple("trainer", "global_step", Map.of("loss", 0.5, "update", 2.0, "global_step", 7.0)),
                        tuple("misc", "update", Map.of("step", 1.0, "update", 2.0, "kl", Double.NaN)),
                        tuple("actor", "step", Map.of("timesteps", Double.NaN, "step", 3.0)),
                        tuple("trainer", "step", Map.of("step", 4.0)),
                        tuple("misc", "step", Map.of("step", 5.0, "critic/loss", 0.25)));
        assertThat(rlm.out().lines().skip(5))
                .satisfiesExactly(
                        each -> assertThat(each).contains("category"),
                        each -> assertThat(each)
                                .contains("needs a finite number among its values that says how far training is: one of"
                                        + " timesteps, policy_version, step, global_step, update"),
                        each -> assertThat(each).contains("says how far training is: update"),
                        each -> assertThat(each).contains("step_field must be one of timesteps, policy_version"));
    }

    @Test
    void runId_thatTheJournalHas_isRefused_asTwoRunsOfOneIdWouldBeOne() throws Exception {
        record(0, START, "{\"type\":\"reward_given\",\"value\":0}", "{\"type\":\"run_ended\"}");
        Cli again = record(1, START, "{\"type\":\"reward_given\",\"value\":1}", "{\"type\":\"run_ended\"}");

        assertThat(again.lines()).hasSize(3).allMatch(line -> line.contains("\"ok\":false"));
        assertThat(again.out()).contains("is in the journal already: a run_id is unique for each execution");
        assertThat(events()).hasSize(3);
    }

    @Test
    void rewardThatCouldNotBeComputed_isAbsentAndNever0() throws Exception {
        record(
                0,
                START,
                "{\"type\":\"step_ended\",\"reward\":NaN}",
                "{\"type\":\"reward_given\",\"value\":null}",
                "{\"type\":\"reward_given\",\"absence\":\"judge timed out\"}",
                "{\"type\":\"run_ended\"}",
                "{\"type\":\"reward_given\",\"run_id\":\"r\",\"value\":1,\"source\":\"person\"}");

        List<RunEvent> events = events();
        assertThat(of(events, RewardGiven.class))
                .extracting(RewardGiven::isAbsent)
                .containsExactly(true, true, true, false);
        assertThat(of(events, RunEnded.class))
                .singleElement()
                .returns(3, RunEnded::absentRewards)
                .returns(102, end -> end.status().code());
    }

    @Test
    void startThatIsRefused_leavesNoRun() throws Exception {
        Cli rlm = record(
                1,
                "{\"type\":\"run_started\",\"run_id\":\"r\",\"environment\":\"e\",\"seq\":0}",
                START,
                "{\"type\":\"run_ended\"}");

        assertThat(rlm.out().lines().skip(1)).allMatch(line -> line.contains("\"ok\":true"));
        assertThat(events()).first().isInstanceOf(RunStarted.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\"value\":null", "\"value\":null,\"absence\":null", "\"value\":NaN", "\"absence\":\"why\""})
    void rewardWithoutANumber_isAbsent(String fields) throws Exception {
        record(0, START, "{\"type\":\"reward_given\"," + fields + "}", "{\"type\":\"run_ended\"}");

        assertThat(of(events(), RunEnded.class)).singleElement().returns(1, RunEnded::absentRewards);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'type':'reward_given','value':1} | {'type':'step_ended','reward':1}",
                "{'type':'reward_given','value':0.25} {'type':'reward_given','value':0.75} | {'type':'step_ended','reward':1}",
                "{'type':'reward_given','value':1} | {'type':'step_ended','reward':null}",
                "{'type':'reward_given','value':1} | {'type':'step_ended'}",
                "{'type':'heartbeat'} | {'type':'step_ended','reward':1}",
                "{'type':'reward_given','value':1} {'type':'step_ended'} | {'type':'heartbeat','total_reward':1}",
                "{'type':'step_ended'} | {'type':'reward_given','value':1,'scope':'run'}"
            })
    void reward_countsOnce_howeverItIsTold(String before, String last) throws Exception {
        List<String> lines = new ArrayList<>(List.of(START, "{\"type\":\"step_started\"}"));
        lines.addAll(List.of(before.replace('\'', '"').split(" ")));
        lines.add(last.replace('\'', '"'));
        lines.add("{\"type\":\"run_ended\"}");
        record(0, lines.toArray(String[]::new));

        assertThat(of(events(), RewardGiven.class).stream()
                        .mapToDouble(RewardGiven::value)
                        .sum())
                .isEqualTo(1.0);
        assertThat(of(events(), RunEnded.class)).singleElement().returns(1.0, RunEnded::totalReward);
    }

    @Test
    void rewardOfAStep_thatIsNotTheSumOfItsRewards_isRefused() throws Exception {
        Cli rlm = record(
                1,
                START,
                "{\"type\":\"step_started\"}",
                "{\"type\":\"reward_given\",\"value\":1}",
                "{\"type\":\"step_ended\",\"reward\":0.5}",
                "{\"type\":\"step_ended\"}",
                "{\"type\":\"run_ended\"}");

        assertThat(rlm.out()).contains("reward is 1.0 by what has been recorded, not 0.5");
        assertThat(of(events(), RunEnded.class)).singleElement().returns(1.0, RunEnded::totalReward);
    }

    @Test
    void refusal_namesTheRunThatTheLineNames() throws Exception {
        Cli rlm = record(1, "{\"type\":\"heartbeat\",\"run_id\":\"other\"}");

        assertThat(rlm.out()).startsWith("{\"line\":1,\"ok\":false,\"run_id\":\"other\",\"error\":");
    }

    @Test
    void lineThatIsTooDeep_orNoUtf8_isRefused() throws Exception {
        String deep = "{\"type\":\"run_started\",\"environment\":\"e\",\"params\":{\"a\":" + "[".repeat(63)
                + "]".repeat(63) + "}}\n";
        ByteArrayOutputStream in = new ByteArrayOutputStream();
        in.writeBytes(deep.getBytes(StandardCharsets.UTF_8));
        in.writeBytes(new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}', '\n'});
        Cli rlm = rlm(Map.of(), new ByteArrayInputStream(in.toByteArray()), "record");

        assertThat(rlm.exitCode()).isEqualTo(1);
        assertThat(rlm.lines().get(0)).contains("\"ok\":false", "depth");
        assertThat(rlm.lines().get(1)).contains("not valid UTF-8");
    }

    @Test
    void afterTheEnd_onlyALateRewardComes() throws Exception {
        Cli rlm =
                record(1, START, "{\"type\":\"run_ended\"}", "{\"type\":\"step_ended\",\"run_id\":\"r\",\"reward\":1}");

        assertThat(rlm.lines().get(2)).contains("the run has ended (completed)");
    }

    @Test
    void secrets_areInNoField() throws Exception {
        String secret = "sk-0123456789";
        Cli rlm = given(
                Map.of("MY_API_KEY", secret),
                "{\"type\":\"run_started\",\"run_id\":\"r\",\"environment\":\"e\",\"task\":\"" + secret
                        + "\",\"tags\":{\"k\":\"" + secret + "\"},\"params\":{\"" + secret + "\":[\"" + secret
                        + "\"]},\"baggage\":\"k=" + secret + "\"}",
                "{\"type\":\"tool_called\",\"tool\":\"" + secret + "\",\"arguments\":{\"key\":\"" + secret + "\"}}",
                "{\"type\":\"heartbeat\",\"" + secret + "\":1}",
                "{\"type\":\"" + "a".repeat(30) + secret + "\"}",
                "{\"type\":\"step_ended\",\"reward\":[\"" + "a".repeat(30) + secret + "\"]}"); // is cut in the answer
        assertThat(rlm.exitCode()).isEqualTo(1);

        assertThat(rlm.out() + rlm.err()).contains("aaa").doesNotContain(secret.substring(0, 5));
        for (RunEvent event : events()) {
            assertThat(JournalJson.event(event)).doesNotContain(secret);
        }
    }

    @Test
    void clientThatDies_leavesItsRunAbandoned_atItsLastEvent() throws Exception {
        record(0, START, "{\"type\":\"step_started\"}", "{\"type\":\"heartbeat\"}");

        List<RunEvent> events = events();
        RunEnded end = (RunEnded) events.get(events.size() - 1);
        assertThat(end.outcome()).isEqualTo(Outcome.ABANDONED);
        assertThat(end.nanos()).isEqualTo(events.get(events.size() - 2).nanos());
    }

    @Test
    void stop_abortsTheRunsThatGoOn() throws Exception {
        try (RunningCli rlm = RunningCli.start(folder, Map.of(), "record")) {
            rlm.input().print(START + "\n{\"type\":\"step_started\"}\n");
            rlm.input().flush();
            rlm.await(() -> rlm.out().lines().count() == 2);

            assertThat(rlm.stop()).isEqualTo(130);

            assertThat(of(events(), RunEnded.class)).singleElement().returns(Outcome.ABORTED, RunEnded::outcome);
            assertThat(rlm.err()).contains("recorded 1 run (0 completed, 0 failed, 1 aborted, 0 abandoned)");
        }
    }

    private Cli record(int exitCode, String... lines) {
        Cli rlm = given(Map.of(), lines);
        assertThat(rlm.exitCode()).as(rlm.out() + rlm.err()).isEqualTo(exitCode);
        return rlm;
    }

    /** Records lines to their end. */
    private Cli given(Map<String, String> variables, String... lines) {
        String text = Stream.of(lines).map(line -> line + "\n").collect(Collectors.joining());
        return rlm(variables, new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "record");
    }

    private Cli rlm(Map<String, String> variables, InputStream in, String... arguments) {
        Map<String, String> all = new HashMap<>(variables);
        all.put("RLM_JSONL_DIR", folder.resolve(".rlm").toString());
        return Cli.with(all, in, arguments);
    }

    private List<RunEvent> events() {
        Journal journal = Journal.open(folder.resolve(".rlm"));
        return journal.events(journal.runs().get(0).run().runId());
    }

    private static <E extends RunEvent> List<E> of(List<RunEvent> events, Class<E> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}

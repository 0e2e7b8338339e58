package dev.rlm.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.Verdict;
import dev.rlm.json.Json;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rewards that are told to {@code rlm record} after the end of their run, which any process may have recorded. */
class LateRewardTest {
    private static final String START =
            "{\"type\":\"run_started\",\"run_id\":\"r\",\"environment\":\"e\",\"rollout_id\":\"o\"}";
    private static final String END = "{\"type\":\"run_ended\",\"run_id\":\"r\"}";
    private static final String REWARD =
            "{\"type\":\"reward_given\",\"run_id\":\"r\",\"source\":\"judge\",\"value\":0.5}";

    @TempDir
    private Path folder;

    private Cli record(String... lines) {
        return record(new String[] {"record"}, lines);
    }

    private Cli record(String[] arguments, String... lines) {
        return Cli.with(
                Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString()),
                new ByteArrayInputStream((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8)),
                arguments);
    }

    private RunSummary run(String runId) {
        return Objects.requireNonNull(Journal.open(folder.resolve(".rlm")).find(runId));
    }

    private static HttpResponse<String> post(RunningRecorder to, String path, String body) throws Exception {
        return to.send(to.request(RunningRecorder.TOKEN, path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    private static String told(RunningRecorder to, String path, String body) throws Exception {
        HttpResponse<String> answer = post(to, path, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void reward_ofARunThatEndedBefore_isWrittenToItsJournal_once() {
        record(new String[] {"record", "--pass-reward", "0.5"}, START, END);
        assertThat(run("r").verdict()).isEqualTo(Verdict.UNREWARDED);
        for (int again = 0; again < 2; again++) {
            Cli later = record(REWARD, REWARD);
            assertThat(later.exitCode()).as(later.out()).isZero();
            assertThat(later.lines()).hasSize(2).allMatch(line -> line.contains("\"ok\":true,\"synced\":true"));
            assertThat(later.lines().get(1).replace("\"line\":2", "\"line\":1"))
                    .isEqualTo(later.lines().get(0));
        }

        assertThat(run("r").totalReward()).isEqualTo(0.5);
        assertThat(run("r").rewards().late()).isEqualTo(1);
        assertThat(run("r").verdict()).isEqualTo(Verdict.SOLVED); // by the pass reward that it was started with
        assertThat(Journal.open(folder.resolve(".rlm")).runs()).hasSize(1);
    }

    @Test
    void rewards_beyondTheFirst_addToTheTotal_andTurnNoVerdict() {
        record(START, END);
        record(REWARD);
        record(REWARD.replace("0.5", "2"), REWARD.replace("judge", "person"));

        assertThat(run("r").totalReward()).isEqualTo(3.0);
        assertThat(run("r").verdict()).isEqualTo(Verdict.UNSOLVED);
    }

    @Test
    void reward_ofARunThatHadOne_addsToTheTotal_andTurnsNoVerdict() {
        record(START, "{\"type\":\"reward_given\",\"value\":0}", END);
        record(REWARD.replace("0.5", "2"));

        assertThat(run("r").totalReward()).isEqualTo(2.0);
        assertThat(run("r").verdict()).isEqualTo(Verdict.UNSOLVED);
    }

    @Test
    void reward_ofARunThatNobodyEnded_counts() {
        record(START);
        assertThat(run("r").state()).isEqualTo(RunState.ABANDONED);
        assertThat(record(REWARD).exitCode()).isZero();

        assertThat(run("r").totalReward()).isEqualTo(0.5);
    }

    @Test
    void reward_ofAnUnknownRun_isRefused() {
        Cli rlm = record(REWARD);
        assertThat(rlm.exitCode()).isOne();
        assertThat(rlm.out()).contains("\"ok\":false", "\"run_id\":\"r\"").doesNotContain("\"retry\"");
        assertThat(Journal.isAt(folder.resolve(".rlm"))
                        && !Journal.open(folder.resolve(".rlm")).runs().isEmpty())
                .isFalse();
    }

    @Test
    void reward_ofARunThatGoesOnElsewhere_isRefusedUntilItHasEnded() throws Exception {
        try (RunningRecorder here = RunningRecorder.start(folder, Map.of());
                RunningRecorder there = RunningRecorder.start(folder, Map.of())) {
            told(here, "/v1/events", START);
            assertThat(told(there, "/v1/events", REWARD))
                    .contains("\"ok\":false", "\"retry\":true", "the run has not ended");
            told(here, "/v1/events", END);
            assertThat(told(there, "/v1/events", REWARD)).contains("\"ok\":true");
        }
        assertThat(run("r").totalReward()).isEqualTo(0.5);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/rollouts/o/end {\"reward\":1.0}",
                "/logs {\"tags\":[\"rollout_id:o\"],\"extras\":{\"reward\":1.0},\"status\":{\"code\":100}}",
                "/logs {\"tags\":[\"rollout_id:o\"],\"extras\":{\"reward\":1.0},\"message\":\"judged\"}"
            })
    void rewardOfARollout_isOfTheRunThatOthersRecorded(String request) throws Exception {
        String[] parts = request.split(" ", 2);
        try (RunningRecorder recorder = RunningRecorder.start(folder, Map.of())) {
            told(recorder, "/v1/events", START);
            told(recorder, "/v1/events", END);
            for (int again = 0; again < 2; again++) {
                told(recorder, parts[0], parts[1]);
            }
            assertThat(run("r").totalReward()).isEqualTo(1.0);
            assertThat(run("r").verdict()).isEqualTo(Verdict.SOLVED);
            assertThat(Json.REPLY
                            .object(recorder.send(recorder.request(RunningRecorder.TOKEN, "/v1/rollouts/o")
                                            .build())
                                    .body())
                            .path("reward")
                            .doubleValue())
                    .isEqualTo(1.0);
        }
        try (RunningRecorder next = RunningRecorder.start(folder, Map.of())) {
            told(next, parts[0], parts[1]);
        }
        assertThat(run("r").totalReward()).isEqualTo(1.0);
    }

    /** As the sink {@code rollout-status} sends it, which tells what the run's own events have told. */
    @Test
    void rewardOfALog_thatNamesTheRun_isTheRunsOwn() throws Exception {
        try (RunningRecorder recorder = RunningRecorder.start(folder, Map.of())) {
            told(recorder, "/v1/events", START);
            told(recorder, "/v1/events", REWARD);
            told(
                    recorder,
                    "/logs",
                    "{\"tags\":[\"rollout_id:o\"],\"status\":{\"code\":100},"
                            + "\"extras\":{\"reward\":0.5,\"rlm_run_id\":\"r\"}}");
            told(recorder, "/v1/events", END);
        }
        assertThat(run("r").totalReward()).isEqualTo(0.5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/rollouts/o/end {\"reward\":1.0}", "/v1/rollouts/o/end {}"})
    void rolloutThatNobodyKnows_isRefused(String request) throws Exception {
        String[] parts = request.split(" ", 2);
        try (RunningRecorder recorder = RunningRecorder.start(folder, Map.of())) {
            assertThat(post(recorder, parts[0], parts[1]).statusCode()).isEqualTo(404);
        }
    }
}

package dev.rlm.gateway;

import static dev.rlm.cli.testkit.ScriptedUpstream.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.ScriptedUpstream;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.Verdict;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rewards that are told to {@code rlm gateway} by the id of a rollout that is over. */
class LateRewardTest {
    private static final String CHAT = "/rollout_id/r/chat/completions";
    private static final String ASK =
            "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"What is 3*4?\"}]}";
    private static final String ANSWER =
            "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"12\"},\"finish_reason\":\"stop\"}]}";

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ScriptedUpstream upstream;

    @SuppressWarnings("NullAway.Init") // likewise
    private RunningGateway gateway;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedUpstream(json(ANSWER));
        gateway = another();
    }

    private RunningGateway another() throws IOException {
        return RunningGateway.start(folder, Map.of(), "--upstream", upstream.url());
    }

    @AfterEach
    void stop() throws Exception {
        upstream.close();
        gateway.close();
    }

    private void call() throws Exception {
        assertThat(gateway.post(CHAT, ASK).statusCode()).isEqualTo(200);
    }

    private static HttpResponse<String> end(RunningGateway to, String body) throws Exception {
        return to.post("/v1/rollouts/r/end", body);
    }

    private void told(String body) throws Exception {
        HttpResponse<String> answer = end(gateway, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private RunSummary run() {
        return gateway.runs().get(0);
    }

    @Test
    void rolloutWithoutReward_tellsNone() throws Exception {
        call();
        told("{}");

        assertThat(run().verdict()).isEqualTo(Verdict.UNREWARDED);
        assertThat(run().totalReward()).isNull();
        assertThat(gateway.tree("/v1/rollouts/r").has("reward")).isFalse();
        assertThat(gateway.get("/logs?tags=rollout_id:r").body()).doesNotContain("reward");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/rollouts/r/end {\"reward\":1.0}",
                "/logs {\"tags\":[\"rollout_id:r\"],\"extras\":{\"reward\":1.0},\"message\":\"judged\"}",
                "/logs {\"tags\":[\"rollout_id:r\"],\"extras\":{\"reward\":1.0},\"status\":{\"code\":100}}"
            })
    void firstReward_thatComesAfterTheEnd_decides_andIsTakenOnce(String request) throws Exception {
        String[] parts = request.split(" ", 2);
        call();
        told("{}");
        for (int again = 0; again < 2; again++) {
            assertThat(gateway.post(parts[0], parts[1]).statusCode()).isEqualTo(200);
        }

        assertThat(run().totalReward()).isEqualTo(1.0);
        assertThat(run().verdict()).isEqualTo(Verdict.SOLVED);
        assertThat(gateway.tree("/v1/rollouts/r").path("reward").doubleValue()).isEqualTo(1.0);
        assertThat(gateway.runs()).hasSize(1);
    }

    @Test
    void secondReward_addsToTheTotal_andTurnsNoVerdict() throws Exception {
        call();
        told("{\"reward\":0.25}");
        told("{\"reward\":2}");

        assertThat(run().totalReward()).isEqualTo(2.25);
        assertThat(run().verdict()).isEqualTo(Verdict.UNSOLVED);
        assertThat(gateway.tree("/v1/rollouts/r").path("reward").doubleValue()).isEqualTo(2.25);
    }

    @Test
    void reward_afterARestart_counts() throws Exception {
        call();
        told("{}");
        gateway.stop();
        gateway = another();
        told("{\"reward\":1}");
        told("{\"reward\":1}");

        assertThat(run().totalReward()).isEqualTo(1.0);
        assertThat(run().verdict()).isEqualTo(Verdict.SOLVED);
        gateway.stop();
        gateway = another();
        assertThat(gateway.tree("/v1/rollouts/r").path("reward").doubleValue()).isEqualTo(1.0);
        told("{\"reward\":1}");
        assertThat(run().totalReward()).isEqualTo(1.0);
    }

    @Test
    void reward_forARolloutOfAnotherProcess_counts_onceItIsOver() throws Exception {
        try (RunningGateway other = another()) { // before there is a rollout
            call();
            HttpResponse<String> early = end(other, "{\"reward\":1}");
            assertThat(early.statusCode()).isEqualTo(409);
            assertThat(early.body()).contains("is for the program that records it");
            told("{}");
            for (int again = 0; again < 2; again++) {
                assertThat(end(other, "{\"reward\":1}").statusCode()).isEqualTo(200);
            }
            told("{\"reward\":1}"); // the process that recorded the run is told the same
        }
        assertThat(run().totalReward()).isEqualTo(1.0);
        assertThat(run().verdict()).isEqualTo(Verdict.SOLVED);
        assertThat(Objects.requireNonNull(run().end()).rewards()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"reward\":1}", "{}"})
    void rolloutThatNobodyKnows_isRefused(String body) throws Exception {
        HttpResponse<String> answer = end(gateway, body);
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("error");
        assertThat(gateway.runs()).isEmpty();
    }
}

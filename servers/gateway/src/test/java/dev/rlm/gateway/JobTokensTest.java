package dev.rlm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.ScriptedUpstream;
import dev.rlm.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Jobs that share a gateway, each with a token of its own. */
class JobTokensTest {
    private static final String ONE = "token-of-job-one-0123";
    private static final String OTHER = "token-of-job-two-0123";
    private static final String ADMIN = "token-of-the-admin-01";
    private static final String CHAT = "/rollout_id/r/row_id/w/chat/completions";
    private static final String ASK =
            "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"What is 3*4?\"}]}";

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ScriptedUpstream upstream;

    @SuppressWarnings("NullAway.Init") // likewise
    private RunningGateway gateway;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedUpstream(
                ScriptedUpstream.json(
                        "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"12\"},\"finish_reason\":\"stop\"}]}"));
        Files.writeString(folder.resolve("tokens"), "# of the jobs\none " + ONE + "\n\nother\t" + OTHER + "\n");
        restart();
    }

    private void restart() throws Exception {
        gateway = RunningGateway.start(
                folder,
                Map.of("RLM_GATEWAY_TOKEN", ADMIN),
                "--upstream",
                upstream.url(),
                "--tokens",
                folder.resolve("tokens").toString());
    }

    @AfterEach
    void stop() throws Exception {
        upstream.close();
        gateway.close();
    }

    private HttpResponse<String> post(String token, String path, String body) throws Exception {
        return gateway.post(path, body, "Authorization", "Bearer " + token);
    }

    private JsonNode tree(String token, String path) throws Exception {
        return Json.REPLY.object(gateway.get(path, "x-rlm-token", token).body());
    }

    private int status(String token, String path) throws Exception {
        return gateway.get(path, "Authorization", "Bearer " + token).statusCode();
    }

    private int code(String token) throws Exception {
        return tree(token, "/v1/status?rollout_id=r")
                .path("status")
                .path("code")
                .intValue(-1);
    }

    private static String log(int code, String message) {
        return "{\"status\":{\"code\":" + code + "},\"message\":\"" + message + "\",\"tags\":[\"rollout_id:r\"]}";
    }

    @Test
    void rollout_isSeenByItsJobAndTheAdminAlone_alsoAfterARestart() throws Exception {
        assertThat(post(ONE, CHAT, ASK).statusCode()).isEqualTo(200);
        assertThat(post(ONE, "/logs", log(100, "done")).statusCode()).isEqualTo(200);
        assertSeenByOneAlone();
        gateway.stop();
        restart();
        assertSeenByOneAlone();
        assertThat(gateway.runs()).hasSize(1);
        assertThat(gateway.runs().get(0).run().tags()).containsEntry("rollout_job", "one");
        try (Stream<Path> files = Files.walk(folder.resolve(".rlm"))) {
            assertThat(files.filter(Files::isRegularFile).map(JobTokensTest::text))
                    .isNotEmpty()
                    .noneMatch(text -> text.contains(ONE) || text.contains(ADMIN));
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void assertSeenByOneAlone() throws Exception {
        for (String token : new String[] {ONE, ADMIN}) {
            assertThat(code(token)).isEqualTo(100);
            assertThat(status(token, "/v1/rollouts/r")).isEqualTo(200);
            assertThat(tree(token, "/logs?tags=rollout_id:r").path("entries")).hasSize(1);
            assertThat(tree(token, "/v1/traces/pointwise?tags=rollout_id:r").path("traces"))
                    .hasSize(1);
        }
        assertThat(status(OTHER, "/v1/status?rollout_id=r")).isEqualTo(404);
        assertThat(status(OTHER, "/v1/rollouts/r")).isEqualTo(404);
        assertThat(post(OTHER, "/v1/rollouts/r/end", "{}").statusCode()).isEqualTo(404);
        assertThat(tree(OTHER, "/logs?tags=rollout_id:r").path("entries")).isEmpty();
        assertThat(tree(OTHER, "/v1/traces/pointwise?tags=rollout_id:r").path("traces"))
                .isEmpty();
        assertThat(tree(OTHER, "/v1/rollouts").path("rollouts")).isEmpty();
    }

    @Test
    void rolloutsOfTwoJobs_withOneId_areTwo() throws Exception {
        post(ONE, CHAT, ASK);
        assertThat(post(OTHER, "/logs", log(13, "failed")).statusCode()).isEqualTo(200);

        assertThat(code(ONE)).isEqualTo(101);
        assertThat(code(OTHER)).isEqualTo(13);
        assertThat(tree(OTHER, "/v1/traces/pointwise?tags=rollout_id:r").path("traces"))
                .isEmpty();
        assertThat(tree(ADMIN, "/v1/rollouts").path("rollouts")).hasSize(2);
        assertThat(tree(ONE, "/v1/rollouts").path("rollouts")).hasSize(1);
        gateway.stop();
        restart();
        assertThat(code(ONE)).isEqualTo(101);
        assertThat(code(OTHER)).isEqualTo(13);
    }

    @Tag("thorough")
    @Tag("smoke")
    @Test
    void admin_goesOnWithTheRolloutOfAJob_andItsOwnIsSeenByNoJob() throws Exception {
        post(ONE, CHAT, ASK);
        assertThat(post(ADMIN, "/logs", log(100, "done")).statusCode()).isEqualTo(200);
        assertThat(code(ONE)).isEqualTo(100);
        assertThat(gateway.runs()).hasSize(1);

        post(ADMIN, CHAT.replace("/r/", "/mine/"), ASK);
        assertThat(status(ADMIN, "/v1/status?rollout_id=mine")).isEqualTo(200);
        assertThat(status(ONE, "/v1/status?rollout_id=mine")).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/v1/status?rollout_id=r",
        "GET,/logs?tags=rollout_id:r",
        "GET,/v1/traces/pointwise?tags=rollout_id:r",
        "GET,/v1/rollouts",
        "POST,/logs",
        "POST," + CHAT
    })
    void tokenThatIsNotKnown_isRefused(String method, String path) throws Exception {
        for (String token : new String[] {"token-that-is-unknown", "None", ONE + "x"}) {
            HttpResponse<String> answer = method.equals("GET")
                    ? gateway.get(path, "Authorization", "Bearer " + token)
                    : gateway.post(path, log(101, "begins"), "Authorization", "Bearer " + token);
            assertThat(answer.statusCode()).isEqualTo(401);
        }
        assertThat(upstream.requests()).isEmpty();
        assertThat(gateway.runs()).isEmpty();
    }

    @Test
    void tokens_areNotSentOn() throws Exception {
        post(ONE, CHAT, ASK);
        gateway.post(CHAT, ASK, "x-rlm-token", OTHER, "Authorization", "Bearer key-of-the-upstream");
        assertThat(upstream.requests().toString())
                .contains("key-of-the-upstream")
                .doesNotContain(ONE, OTHER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "one", "one short", "a b " + ONE, "one " + ONE + "\none " + OTHER})
    void fileThatIsNotRight_isRefused_withoutWhatItHolds(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("wrong"), text);
        Cli told = Cli.with(Map.of(), "gateway", "--upstream", upstream.url(), "--tokens", file.toString());
        assertThat(told.exitCode()).isEqualTo(2);
        assertThat(told.err()).contains("wrong").doesNotContain(ONE, OTHER, "short");
    }
}

package dev.rlm.runner.worker;

import dev.rlm.json.Json;
import dev.rlm.server.http.PathSegment;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.http.AnswerReader;
import dev.rlm.sinks.delivery.http.HttpBody;
import dev.rlm.sinks.delivery.http.HttpTransport;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Client of agent-lightning's server, as a runner uses it: the queue of rollouts, their rewards and their ends, and the proxy to the
 * model. The names are those of agentlightning 1.0. Safe for use by several threads.
 */
final class AgentLightning implements AutoCloseable {
    static final String QUEUING = "queuing";
    static final String RUNNING = "running";

    private static final String REWARD = "reward"; // type of an event

    private static final Duration TIMEOUT = Duration.ofSeconds(10); // of a request
    private static final int MAX_ANSWER = 64 << 20;
    private static final int UNAUTHORIZED = 401;
    private static final int CONFLICT = 409;
    private static final MediaType JSON = MediaType.get("application/json");

    private final HttpTransport http = new HttpTransport(TIMEOUT);
    private final String base;
    private final String attempt;
    private final @Nullable String key;

    /**
     * Makes the client of a server.
     *
     * @param base its address
     * @param attempt id of this process's attempts: one at each rollout
     * @param key signs in; {@code null} for nothing
     */
    AgentLightning(URI base, String attempt, @Nullable String key) {
        this.base = base.toString().replaceFirst("/+$", "");
        this.attempt = attempt;
        this.key = key;
    }

    String base() {
        return base;
    }

    String attempt() {
        return attempt;
    }

    @Nullable
    String key() {
        return key;
    }

    /** Returns the base URL of the model for a rollout: all calls below it are kept by the server. */
    String model(String rollout, boolean train) {
        return base + "/proxy/rollout/" + PathSegment.encoded(rollout) + "/attempt/" + PathSegment.encoded(attempt)
                + "/mode/" + (train ? "train" : "val") + "/openai/v1";
    }

    /**
     * Returns the first rollouts in that state, without those whose ids no address can have.
     *
     * @throws IOException if the server does not say; the message is one line
     */
    List<JsonNode> rollouts(String state, int limit) throws IOException {
        Request request = request("/api/rollouts?state_in=" + state + "&limit=" + limit)
                .get()
                .build();
        try (Response response = ask(request)) {
            if (response.code() == UNAUTHORIZED) {
                throw new IOException("it does not know the key of " + WorkerCommand.KEY);
            } else if (!response.isSuccessful()) {
                throw new IOException("status " + response.code());
            }
            JsonNode all = Json.REPLY.object("{\"all\":" + text(response) + "}").path("all");
            if (!all.isArray()) {
                throw new IOException("it does not answer as agent-lightning does");
            }
            return all.valueStream()
                    .filter(each -> PathSegment.isName(each.path("rollout_id").stringValue("")))
                    .toList();
        } catch (JacksonException e) {
            throw new IOException("it does not answer as agent-lightning does", e);
        }
    }

    /**
     * Claims a rollout. Returns false where another runner has it, or it is gone.
     *
     * @throws IOException if the server does not say: then it may be claimed, which the next call tells
     */
    boolean claim(String rollout) throws IOException {
        ObjectNode status = JsonNodeFactory.instance.objectNode().put("state", RUNNING);
        try (Response response = ask(patch(rollout, status, attempt))) {
            if (response.isSuccessful()) {
                return true;
            } else if (response.code() / 100 != 4) {
                throw new IOException("status " + response.code());
            }
            return response.code() == CONFLICT && isClaimed(rollout);
        }
    }

    /** Returns whether a rollout runs here, as the server has it. */
    boolean isClaimed(String rollout) throws IOException {
        return isIn(rollout, RUNNING, attempt);
    }

    private boolean isIn(String rollout, String state, String ofAttempt) throws IOException {
        Request request =
                request("/api/rollouts/" + PathSegment.encoded(rollout)).get().build();
        try (Response response = ask(request)) {
            JsonNode status = Json.REPLY.object(text(response)).path("rollout").path("status");
            return status.path("state").stringValue("").equals(state)
                    && status.path("last_attempt_id").stringValue("").equals(ofAttempt);
        } catch (JacksonException e) {
            return false;
        }
    }

    /**
     * Tells the end of an attempt, its reward first. Returns the failure; none where the server has it, or had it before.
     *
     * @param again whether it may have been told before: a reward that the server has is not told twice
     */
    CompletableFuture<Optional<Failure>> tell(RolloutEnd end, String ofAttempt, boolean again) {
        ObjectNode status = JsonNodeFactory.instance.objectNode().put("state", end.state());
        if (!end.succeeded()) {
            status.put("error_message", end.message());
        }
        Double reward = end.reward();
        boolean known;
        try {
            known = reward == null || (again && isRewarded(end));
        } catch (IOException | JacksonException e) { // or it would be told twice
            return CompletableFuture.completedFuture(Optional.of(Failure.timeout()));
        }
        CompletableFuture<Optional<Failure>> rewarded = reward == null || known
                ? CompletableFuture.completedFuture(Optional.empty())
                : http.send(reward(end, ofAttempt, reward), AnswerReader.FAULTS_PASS);
        return rewarded.thenCompose(failure -> failure.isPresent()
                ? CompletableFuture.completedFuture(failure)
                : http.send(patch(end.rollout(), status, ofAttempt), new EndReader(end, ofAttempt)));
    }

    /** Returns whether the server has the reward of the attempt that counts. */
    private boolean isRewarded(RolloutEnd end) throws IOException {
        Request request = request("/api/rollouts/" + PathSegment.encoded(end.rollout()) + "/events")
                .get()
                .build();
        try (Response response = ask(request)) {
            if (!response.isSuccessful()) {
                throw new IOException("status " + response.code());
            }
            return Json.REPLY
                    .object("{\"all\":" + text(response) + "}")
                    .path("all")
                    .valueStream()
                    .filter(event -> event.path("event_type").stringValue("").equals(REWARD))
                    .anyMatch(event -> Objects.equals(
                            end.reward(), Json.number(event.path("data").path("value"))));
        }
    }

    private Request reward(RolloutEnd end, String ofAttempt, double value) {
        ObjectNode event = JsonNodeFactory.instance.objectNode().put("event_type", REWARD);
        event.putObject("data").put("value", value).put("source", "agent").put("message", end.message());
        return request("/api/rollouts/" + PathSegment.encoded(end.rollout()) + "/attempt/"
                        + PathSegment.encoded(ofAttempt) + "/events")
                .post(RequestBody.create(Json.bytes(event), JSON))
                .build();
    }

    private Request patch(String rollout, ObjectNode status, String ofAttempt) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.set("status", status.put("last_attempt_id", ofAttempt));
        return request("/api/rollouts/" + PathSegment.encoded(rollout))
                .patch(RequestBody.create(Json.bytes(body), JSON))
                .build();
    }

    private Request.Builder request(String path) {
        Request.Builder request = new Request.Builder().url(base + path).header("User-Agent", "rlm");
        return key == null ? request : request.header("Authorization", "Bearer " + key);
    }

    private Response ask(Request request) throws IOException {
        return http.ask(request, System.nanoTime() + TIMEOUT.toNanos());
    }

    private static String text(Response response) throws IOException {
        HttpBody body = HttpBody.read(response, MAX_ANSWER);
        if (!body.isWhole()) {
            throw new TooLongException();
        }
        return body.text();
    }

    /** Answer that is longer than what is read of one. */
    static final class TooLongException extends IOException {
        private static final long serialVersionUID = 1;

        TooLongException() {
            super("its answer is longer than " + (MAX_ANSWER >> 20) + " MiB");
        }
    }

    @Override
    public void close() {
        http.close();
    }

    /** Reads the answer to an end. A state that is final already may be that of the same request, whose answer was lost. */
    private final class EndReader implements AnswerReader {
        private final RolloutEnd end;
        private final String ofAttempt;

        EndReader(RolloutEnd end, String ofAttempt) {
            this.end = end;
            this.ofAttempt = ofAttempt;
        }

        @Override
        public @Nullable Failure read(Response response) throws IOException {
            return response.code() == CONFLICT && isIn(end.rollout(), end.state(), ofAttempt)
                    ? null
                    : AnswerReader.FAULTS_PASS.read(response);
        }
    }
}

package dev.rlm.runner.remote;

import dev.rlm.episodes.SetupException;
import dev.rlm.json.Json;
import dev.rlm.server.http.PathSegment;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A trainer's side of the protocol of remote rollouts, as eval-protocol's client speaks it: {@code POST /init} of a rollout server, then
 * statuses, logs and traces of a gateway. Safe for use by several threads.
 */
final class RolloutClient {
    private static final int RUNNING = 101;
    private static final Set<Integer> SCORABLE = Set.of(100, 0, 102);
    private static final Set<Integer> FAILED = Set.of(1, 3, 6, 9, 10, 11, 12, 13, 15);
    private static final Set<Integer> WORTH_ANOTHER_TRY = Set.of(2, 4, 5, 7, 8, 14, 16, 103);
    private static final List<Duration> PAUSES = List.of(Duration.ZERO, Duration.ofSeconds(2), Duration.ofSeconds(2));
    private static final Duration INIT_TIME = Duration.ofMinutes(10); // a server that is full holds it back
    private static final Duration ANSWER_TIME = Duration.ofSeconds(60);
    private static final Duration CANCEL_TIME = Duration.ofSeconds(2);
    private static final Duration CONNECT_TIME = Duration.ofSeconds(10);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
    private static final String WAIT = "10s"; // of gateways that know it
    private static final int MAX_ANSWER = 64 << 20;
    private static final int SHOWN = 300;

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_TIME)
            .build();
    private final String server;
    private final String gateway;
    private final @Nullable String key;
    private final Duration timeout;

    /**
     * Creates one.
     *
     * @param key for the gateway; {@code null} for none
     * @param timeout of a rollout that the server has taken
     */
    RolloutClient(String server, String gateway, @Nullable String key, Duration timeout) {
        this.server = server;
        this.gateway = gateway;
        this.key = key;
        this.timeout = timeout;
    }

    /**
     * Looks whether both are there; what they answer does not count.
     *
     * @throws SetupException if one cannot be reached
     */
    void check() {
        reach("--remote", server + "/");
        reach("--gateway", gateway + "/v1/status?rollout_id=none");
    }

    private void reach(String option, String url) {
        try {
            var unused = send(request(url, ANSWER_TIME).GET().build());
        } catch (IOException e) {
            throw new SetupException(option + " cannot be reached: " + reason(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SetupException("interrupted");
        }
    }

    /**
     * Has a rollout done, and waits for its end. One that fails in a way that may pass is begun again, three times at the most.
     *
     * @param init the request, without addresses and ids
     * @return an end that can be scored
     * @throws RemoteRolloutException if it fails for good, or takes too long
     */
    Ending run(Map<String, String> ids, ObjectNode init) throws RemoteRolloutException, InterruptedException {
        String rollout = ids.getOrDefault("rollout_id", "");
        ObjectNode body = init.put("model_base_url", modelBaseUrl(ids, init));
        ids.forEach(body.putObject("metadata")::put);
        body.put("api_key", key);
        for (int tries = 0; ; tries++) {
            int code;
            try {
                begin(body);
                code = awaitEnd(rollout);
            } catch (InterruptedException e) {
                cancel(rollout);
                throw e;
            }
            Ending ending = ending(rollout, code);
            if (SCORABLE.contains(code)) {
                return ending;
            } else if (tries == PAUSES.size() || !WORTH_ANOTHER_TRY.contains(code)) {
                throw new RemoteRolloutException("the rollout failed with status " + code
                        + (ending.message().isEmpty() ? "" : ": " + ending.message()));
            }
            Thread.sleep(PAUSES.get(tries).toMillis());
        }
    }

    private String modelBaseUrl(Map<String, String> ids, ObjectNode init) {
        String path = ids.entrySet().stream()
                .map(id -> "/" + id.getKey() + "/" + PathSegment.encoded(id.getValue()))
                .collect(Collectors.joining());
        String model = init.path("completion_params").path("base_url").stringValue("");
        return gateway
                + path
                + (model.isEmpty()
                        ? ""
                        : "/encoded_base_url/"
                                + Base64.getUrlEncoder().encodeToString(model.getBytes(StandardCharsets.UTF_8)));
    }

    /** Has the server take it: again where it was not to be reached, or was at fault itself. */
    private void begin(ObjectNode body) throws RemoteRolloutException, InterruptedException {
        HttpRequest request = post("/init", body, INIT_TIME);
        for (int tries = 0; ; tries++) {
            String failure;
            try {
                HttpReply answer = send(request);
                if (answer.status() / 100 == 2) {
                    return;
                }
                failure = "HTTP " + answer.status() + ": " + answer.beginning();
                if (answer.status() < 500) {
                    throw new RemoteRolloutException("/init was refused: " + failure);
                }
            } catch (IOException e) {
                failure = reason(e);
            }
            if (tries == PAUSES.size()) {
                throw new RemoteRolloutException("/init failed: " + failure);
            }
            Thread.sleep(PAUSES.get(tries).toMillis());
        }
    }

    private int awaitEnd(String rollout) throws RemoteRolloutException, InterruptedException {
        long began = System.nanoTime();
        while (System.nanoTime() - began < timeout.toNanos()) {
            long looked = System.nanoTime();
            JsonNode code = status(rollout).path("status").path("code");
            if (!code.isMissingNode() && !code.isNull()) {
                int known = code.isInt() ? code.intValue() : -1;
                if (SCORABLE.contains(known) || FAILED.contains(known) || WORTH_ANOTHER_TRY.contains(known)) {
                    return known;
                } else if (known != RUNNING) {
                    throw new RemoteRolloutException(Json.text(code) + " is no status code");
                }
            }
            Thread.sleep(Math.max(0, BETWEEN_LOOKS.toMillis() - (System.nanoTime() - looked) / 1_000_000));
        }
        cancel(rollout);
        throw new RemoteRolloutException("it has not ended within " + timeout.toSeconds() + " s");
    }

    /** Cancels a rollout that has been given up. The protocol has no request for it; {@code rlm serve} takes one. */
    private void cancel(String rollout) throws InterruptedException {
        ObjectNode body =
                JsonNodeFactory.instance.objectNode().put("rollout_id", rollout).put("api_key", key);
        try {
            var unused = send(post("/cancel", body, CANCEL_TIME));
        } catch (IOException e) {
            // it goes on until the server's own limit
        }
    }

    private HttpRequest post(String path, ObjectNode body, Duration time) {
        return HttpRequest.newBuilder(URI.create(server + path))
                .timeout(time)
                .header("Content-Type", "application/json")
                .header("User-Agent", "rlm")
                .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)))
                .build();
    }

    private JsonNode status(String rollout) throws InterruptedException {
        return ask(List.of("/v1/status", "/status"), "?rollout_id=" + PathSegment.encoded(rollout) + "&wait=" + WAIT);
    }

    /** Returns the end that the last log with that status tells; the code alone if there is no such log. */
    private Ending ending(String rollout, int code) throws InterruptedException {
        JsonNode logs = ask(
                List.of("/logs", "/v1/logs"),
                "?tags=rollout_id:" + PathSegment.encoded(rollout) + "&limit=100&hours_back=24");
        for (JsonNode entry : logs.path("entries")) {
            JsonNode status = entry.path("status");
            if (status.path("code").isInt() && status.path("code").intValue() == code) {
                ObjectNode extras = entry.path("extras") instanceof ObjectNode given
                        ? given
                        : JsonNodeFactory.instance.objectNode();
                return new Ending(code, status.path("message").stringValue(""), terminationReason(status), extras);
            }
        }
        return new Ending(code, "", null, JsonNodeFactory.instance.objectNode());
    }

    private static @Nullable String terminationReason(JsonNode status) {
        for (JsonNode detail : status.path("details")) {
            String reason = detail.path("metadata").path("termination_reason").stringValue(null);
            if (reason != null) {
                return reason;
            }
        }
        return null;
    }

    /**
     * Returns the rollout's conversation: of several traces the longest.
     *
     * @throws RemoteRolloutException if the gateway has none with a reply
     */
    Trace trace(Map<String, String> ids) throws RemoteRolloutException, InterruptedException {
        JsonNode answer = ask(
                List.of("/v1/traces/pointwise"),
                "?limit=100&tags=" + PathSegment.encoded("rollout_id:" + ids.get("rollout_id"))
                        + "&sleep_between_gets=0.1&max_retries=5");
        Trace longest = null;
        for (JsonNode trace : answer.path("traces")) {
            boolean said = trace.path("output").isObject();
            if (said && trace.path("input").path("messages") instanceof ArrayNode messages) {
                boolean longer =
                        longest == null || messages.size() > longest.messages().size();
                longest = longer ? new Trace(messages, trace.path("output")) : longest;
            }
        }
        if (longest == null) {
            throw new RemoteRolloutException("the gateway has no conversation of it");
        }
        return longest;
    }

    /** Asks the gateway at the first path that it knows; what is no answer is an empty object. */
    private JsonNode ask(List<String> paths, String query) throws InterruptedException {
        for (String path : paths) {
            try {
                HttpReply answer =
                        send(request(gateway + path + query, ANSWER_TIME).GET().build());
                if (answer.status() == 200) {
                    return Json.REPLY.object(answer.body());
                } else if (answer.status() != 404) {
                    break;
                }
            } catch (IOException | JacksonException e) {
                break; // the next look may find more
            }
        }
        return JsonNodeFactory.instance.objectNode();
    }

    private HttpRequest.Builder request(String url, Duration time) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url)).timeout(time).header("User-Agent", "rlm");
        return key == null || !url.startsWith(gateway) ? request : request.header("Authorization", "Bearer " + key);
    }

    private HttpReply send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = http.send(request, head -> new BoundedBody());
        return new HttpReply(response.statusCode(), new String(response.body(), StandardCharsets.UTF_8));
    }

    private static String reason(IOException e) {
        return e.getMessage() == null ? "no connection" : e.getMessage();
    }

    /** Body of an answer, as far as it is read. The client's own stream is no help: before Java 20 it swallows interrupts. */
    private static final class BoundedBody implements HttpResponse.BodySubscriber<byte[]> {
        private final HttpResponse.BodySubscriber<byte[]> body = HttpResponse.BodySubscribers.ofByteArray();
        private Flow.@Nullable Subscription subscription;
        private long size;

        @Override
        public CompletionStage<byte[]> getBody() {
            return body.getBody();
        }

        @Override
        public void onSubscribe(Flow.Subscription value) {
            subscription = value;
            body.onSubscribe(value);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            size += buffers.stream().mapToLong(ByteBuffer::remaining).sum();
            if (size <= MAX_ANSWER) {
                body.onNext(buffers);
            } else {
                Objects.requireNonNull(subscription).cancel();
                body.onError(new IOException("the answer is longer than 64 MiB"));
            }
        }

        @Override
        public void onError(Throwable failure) {
            body.onError(failure);
        }

        @Override
        public void onComplete() {
            body.onComplete();
        }
    }

    private record HttpReply(int status, String body) {
        String beginning() {
            return body.substring(0, Math.min(body.length(), SHOWN))
                    .replaceAll("\\s+", " ")
                    .strip();
        }
    }

    /**
     * End of a rollout.
     *
     * @param terminationReason {@code null} if it is not told
     */
    record Ending(int code, String message, @Nullable String terminationReason, ObjectNode extras) {}

    /**
     * Conversation of a rollout.
     *
     * @param messages that the model was shown last
     * @param reply the message that it answered with
     */
    record Trace(ArrayNode messages, JsonNode reply) {}
}

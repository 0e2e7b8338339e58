package dev.rlm.runner.openai;

import dev.rlm.cli.json.JsonTree;
import dev.rlm.episodes.SetupException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Asks a server for its list of models before the first run. It refuses what no run could work with: a server that cannot be
 * reached, a key that is not taken, a model that is not there. A server that gives no list is taken as it is. No word of the
 * server's is repeated but the names of its models: others may hold the key.
 */
final class ServerCheck {
    private static final Duration TIME_LIMIT = Duration.ofSeconds(5);
    private static final int MAX_BYTES = 1 << 24; // of an answer; the longest lists of models have some
    private static final String MAX_TOKENS = "max_tokens";
    private static final int SHOWN = 5;
    private static final int NAME_LENGTH = 80;

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    private final Endpoint endpoint;
    private final @Nullable String key;

    ServerCheck(Endpoint endpoint, @Nullable String key) {
        this.endpoint = endpoint;
        this.key = key;
    }

    /**
     * Checks the server, and that it has these models.
     *
     * @throws SetupException if it cannot be had, or has not
     */
    void run(List<String> models) {
        Answer list = list();
        if (list.status() == 401) {
            throw new SetupException("--policy openai: " + endpoint.base()
                    + (key == null
                            ? " wants a key (status 401): set RLM_OPENAI_API_KEY or OPENAI_API_KEY"
                            : " does not take the key (status 401)"));
        }
        List<String> offered = list.status() == 200 ? names(list.body()) : List.of();
        for (String model : models) {
            if (!offered.isEmpty() && !offered.contains(model) && isRefused(model)) {
                throw new SetupException("--policy openai: " + endpoint.base() + " has no model '" + model
                        + "': it has " + some(offered));
            }
        }
    }

    private Answer list() {
        try {
            return send(request(endpoint.models()).GET());
        } catch (TimeoutException e) {
            throw unreachable("no answer within " + TIME_LIMIT.toSeconds() + " s");
        } catch (IOException e) {
            throw unreachable(ChatClient.reason(e));
        }
    }

    private SetupException unreachable(String why) {
        return new SetupException("--policy openai finds no server at " + endpoint.base() + ": " + why);
    }

    /**
     * Returns whether the server refuses the model. Its list alone does not tell: some servers take names beside it, aliases or
     * any at all. So the model is asked for one token.
     */
    private boolean isRefused(String model) {
        Map<String, Object> body =
                Map.of("model", model, MAX_TOKENS, 1, "messages", List.of(Map.of("role", "user", "content", "Hello")));
        try {
            Answer reply = send(request(endpoint.address())
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(JsonTree.text(body))));
            int status = reply.status();
            return status == 404 || ((status == 400 || status == 422) && isOf(model, reply.body()));
        } catch (TimeoutException | IOException e) {
            return false; // it may take its time to load the model
        }
    }

    /** Returns whether an error is about the model, and not about a member of the request that such models do not take. */
    private static boolean isOf(String model, String error) {
        return !error.contains(MAX_TOKENS)
                && Pattern.compile("(?<![\\w.-])" + Pattern.quote(model) + "(?![\\w-])")
                        .matcher(error)
                        .find();
    }

    private HttpRequest.Builder request(URI address) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
                .header("Accept", "application/json")
                .header("User-Agent", "rlm");
        return key == null ? request : request.header("Authorization", "Bearer " + key);
    }

    private Answer send(HttpRequest.Builder request) throws IOException, TimeoutException {
        long by = System.nanoTime() + TIME_LIMIT.toNanos();
        CompletableFuture<HttpResponse<BodyChunks>> sent =
                http.sendAsync(request.build(), response -> new BodyChunks());
        try {
            HttpResponse<BodyChunks> response = sent.get(TIME_LIMIT.toNanos(), TimeUnit.NANOSECONDS);
            try (BodyChunks chunks = response.body()) {
                return new Answer(response.statusCode(), text(chunks, by));
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            sent.cancel(true);
        }
    }

    /** The body as text; none where it is longer than anything that could be asked for. */
    private static String text(BodyChunks chunks, long by) throws IOException, InterruptedException, TimeoutException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] next = chunks.next(left(by));
        while (next != null && body.size() + next.length <= MAX_BYTES) {
            body.writeBytes(next);
            next = chunks.next(left(by));
        }
        return next == null ? body.toString(StandardCharsets.UTF_8) : "";
    }

    private static Duration left(long by) {
        return Duration.ofNanos(Math.max(0, by - System.nanoTime()));
    }

    /** What a server said. */
    private record Answer(int status, String body) {}

    /** The models' names; none where there is no list of them, or only a part of it. */
    private static List<String> names(String body) {
        try {
            Fields list = new Fields(JsonTree.object(body));
            return Boolean.TRUE.equals(list.values().get("has_more"))
                    ? List.of()
                    : list.objects("data").stream()
                            .map(model -> model.text("id"))
                            .filter(Objects::nonNull)
                            .toList();
        } catch (JacksonException e) {
            return List.of();
        }
    }

    private static String some(List<String> names) {
        String some = names.stream()
                .limit(SHOWN)
                .map(name -> name.length() <= NAME_LENGTH ? name : name.substring(0, NAME_LENGTH) + "…")
                .collect(Collectors.joining(", "));
        return some + (names.size() > SHOWN ? " and " + (names.size() - SHOWN) + " more" : "");
    }
}

package dev.rlm.runner.openai;

import dev.rlm.episodes.SetupException;
import dev.rlm.json.Json;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Asks a server for its list of models before the first run. It refuses what no run could work with: a server that cannot be
 * reached, a key that is not taken, a model that is not there. A server that gives no list is taken as it is. No word of the
 * server's is repeated but the names of its models: others may hold the key.
 */
final class ServerCheck {
    private static final Duration TIME_LIMIT = Duration.ofSeconds(5);
    private static final int MAX_BYTES = 1 << 24; // of an answer; the longest lists of models have some
    private static final String JSON = "application/json";
    private static final String MAX_TOKENS = "max_tokens";
    private static final int SHOWN = 5;
    private static final int NAME_LENGTH = 80;

    private final String asker;
    private final CompletionsServer server;
    private final String base;

    /**
     * A check that has not begun.
     *
     * @param asker the option that chose the server, for messages
     */
    ServerCheck(String asker, CompletionsServer server) {
        this.asker = asker;
        this.server = server;
        base = server.endpoint().base();
    }

    /**
     * Checks the server, and that it has these models.
     *
     * @throws SetupException if it cannot be had, or has not
     */
    void run(List<String> models) {
        HttpReply list = list();
        if (list.status() == 401) {
            throw new SetupException(asker + ": " + base
                    + (server.hasKey()
                            ? " does not take the key (status 401)"
                            : " wants a key (status 401): set RLM_OPENAI_API_KEY or OPENAI_API_KEY"));
        }
        List<String> offered = list.status() == 200 ? names(list.body()) : List.of();
        for (String model : models) {
            if (!offered.isEmpty() && !offered.contains(model) && isRefused(model)) {
                throw new SetupException(
                        asker + ": " + base + " has no model '" + model + "': it has " + some(offered));
            }
        }
    }

    private HttpReply list() {
        try {
            return send(server.request(server.endpoint().models(), JSON));
        } catch (TimeoutException e) {
            throw unreachable("no answer within " + TIME_LIMIT.toSeconds() + " s");
        } catch (IOException e) {
            throw unreachable(CompletionsServer.reason(e));
        }
    }

    private SetupException unreachable(String why) {
        return new SetupException(asker + " finds no server at " + base + ": " + why);
    }

    /**
     * Returns whether the server refuses the model. Its list alone does not tell: some servers take names beside it, aliases or
     * any at all. So the model is asked for one token.
     */
    private boolean isRefused(String model) {
        Map<String, Object> body =
                Map.of("model", model, MAX_TOKENS, 1, "messages", List.of(Map.of("role", "user", "content", "Hello")));
        try {
            HttpReply reply = send(server.completion(Json.text(body), JSON));
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

    private HttpReply send(HttpRequest.Builder request) throws IOException, TimeoutException {
        Deadline deadline = Deadline.after(TIME_LIMIT);
        try {
            HttpResponse<ReplyBody> response = server.send(request.build(), deadline, TIME_LIMIT, MAX_BYTES);
            try (ReplyBody body = response.body()) {
                return new HttpReply(response.statusCode(), body.whole());
            } catch (ChatException e) {
                return new HttpReply(response.statusCode(), ""); // longer than anything that could be asked for
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** A server's words. */
    private record HttpReply(int status, String body) {}

    /** The models' names; none where there is no list of them, or only a part of it. */
    private static List<String> names(String body) {
        try {
            JsonNode list = Json.REPLY.object(body);
            return list.path("has_more").booleanValue(false)
                    ? List.of()
                    : Json.elements(list.path("data")).stream()
                            .map(model -> model.path("id"))
                            .filter(JsonNode::isString)
                            .map(JsonNode::stringValue)
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

package dev.rlm.cli.testkit;

import dev.rlm.json.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * An agent as programs of other people are: it knows the base URLs that SDKs read, and nothing of what records it. Each argument is
 * a conversation of so many calls with OpenAI's API, such as {@code hello:2}; {@code anthropic} is a call of the other one.
 */
public final class WrappedAgent {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private WrappedAgent() {}

    public static void main(String[] arguments) throws Exception {
        for (String argument : arguments) {
            if (argument.equals("anthropic")) {
                post(
                        System.getenv("ANTHROPIC_BASE_URL") + "/v1/messages",
                        Map.of("model", "a", "messages", List.of(Map.of("role", "user", "content", "hi"))));
            } else {
                String[] parts = argument.split(":", 2);
                converse(parts[0], Integer.parseInt(parts[1]));
            }
        }
    }

    private static void converse(String prompt, int calls) throws Exception {
        List<Object> messages = new ArrayList<>(List.of(Map.of("role", "user", "content", prompt)));
        for (int i = 0; i < calls; i++) {
            JsonNode reply = post(
                            System.getenv("OPENAI_BASE_URL") + "/chat/completions",
                            Map.of("model", "m", "messages", messages))
                    .path("choices")
                    .path(0)
                    .path("message");
            System.out.println(reply.path("content").stringValue(""));
            messages.add(Json.REPLY.object(Json.text(reply)));
            messages.add(Map.of("role", "user", "content", "go on"));
        }
    }

    private static JsonNode post(String url, Object body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)))
                .build();
        return Json.REPLY.object(
                CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
}

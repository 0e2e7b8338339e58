package dev.rlm.json.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.json.Json;
import dev.rlm.json.chat.ChatApi.ReplyStream;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Streamed replies as servers really send them: the cases of {@code replies-in-pieces.json}, which the tests of the Python package
 * read too. A case has the chunks of an API, or the deltas of its only choice, and what each choice then says.
 */
class RepliesInPiecesTest {
    static Stream<Named<JsonNode>> cases() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(RepliesInPiecesTest.class.getResourceAsStream("replies-in-pieces.json"))) {
            String cases = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return List.copyOf(Json.elements(
                            Json.REPLY.object("{\"all\":" + cases + "}").path("all")))
                    .stream()
                    .map(each -> Named.of(each.path("name").stringValue(), each));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void reply_isPutTogether(JsonNode each) {
        ChatApi api = Objects.requireNonNull(ChatApi.ALL.get(each.path("api").stringValue()));
        ReplyStream stream = api.stream();
        SseReader reader = new SseReader(data -> stream.add(Json.REPLY.object(data)));
        byte[] body =
                ((each.path("mark").booleanValue(false) ? "\ufeff" : "") + body(each)).getBytes(StandardCharsets.UTF_8);
        reader.add(body, 0, body.length);
        reader.end();

        List<Map<String, Object>> said = new ArrayList<>();
        for (JsonNode choice : Json.elements(api.reply(stream.reply()).path("choices"))) {
            said.add(said(choice, each.path("said").path(said.size())));
        }
        assertThat(Json.text(said)).isEqualTo(Json.text(each.path("said")));
    }

    private static String body(JsonNode each) {
        Stream<JsonNode> chunks = each.has("chunks")
                ? Json.elements(each.path("chunks")).stream()
                : Json.elements(each.path("deltas")).stream().map(delta -> {
                    ObjectNode chunk = ChatApi.object();
                    chunk.putArray("choices").addObject().put("index", 0).set("delta", delta);
                    return chunk;
                });
        return chunks.map(chunk -> "data: " + Json.text(chunk) + "\n\n").collect(Collectors.joining());
    }

    /** Returns what a choice says; its end, and the kinds of its parts, only where these are expected. */
    private static Map<String, Object> said(JsonNode choice, JsonNode expected) {
        Message message = MessageJson.message(choice.path("message"), "assistant", Content::redacted);
        Map<String, Object> said = new LinkedHashMap<>();
        put(said, "text", message.content().text());
        put(
                said,
                "thoughts",
                message.parts().stream()
                        .filter(part -> part.type() == MessagePart.Type.REASONING)
                        .map(part -> part.text().text())
                        .collect(Collectors.joining("\n")));
        put(
                said,
                "calls",
                message.toolCalls().stream()
                        .map(call -> call.id() + ":" + call.tool() + "(" + call.arguments() + ")")
                        .toList());
        if (expected.has("end")) {
            put(said, "end", choice.path("finish_reason").stringValue(""));
        }
        if (expected.has("parts")) {
            put(
                    said,
                    "parts",
                    message.parts().stream().map(part -> part.type().name()).toList());
        }
        return said;
    }

    private static void put(Map<String, Object> said, String name, Object value) {
        if (!value.equals("") && !value.equals(List.of())) {
            said.put(name, value);
        }
    }
}

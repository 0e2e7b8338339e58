package dev.rlm.gateway;

import dev.rlm.json.Json;
import dev.rlm.sinks.MessageParts;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes requests and replies of chat completions into the record of a call. */
final class ChatRecorder {
    private static final Set<String> NO_PARAMETERS = Set.of("model", "messages", "tools", "functions");
    private static final int MAX_PARAMETER = 4_096;

    private ChatRecorder() {}

    static void request(ObjectNode request, ModelCall call) {
        request.properties().forEach(each -> {
            if (!NO_PARAMETERS.contains(each.getKey()) && !each.getValue().isNull()) {
                call.parameter(each.getKey(), parameter(each.getValue()));
            }
        });
        JsonNode tools = request.path("tools");
        if (tools.isArray() && !tools.isEmpty()) {
            call.toolDefinitions(Json.text(tools));
        }
        Json.elements(request.path("messages")).forEach(message -> message(message, call));
    }

    private static Object parameter(JsonNode value) {
        if (value.isNumber()) {
            return value.numberValue();
        } else if (value.isBoolean()) {
            return value.booleanValue();
        }
        String text = value.isString() ? value.stringValue() : Json.text(value);
        return text.length() <= MAX_PARAMETER ? text : text.substring(0, MAX_PARAMETER) + "…";
    }

    private static void message(JsonNode message, ModelCall call) {
        String role = message.path("role").stringValue("user");
        JsonNode content = message.path("content");
        if (role.equals("tool")) {
            call.toolMessage(message.path("tool_call_id").stringValue(""), ModelApi.text(content));
            return;
        }
        if (content.isArray() || message.has("reasoning_content")) {
            call.messageParts(role, parts -> parts(message, parts));
        } else {
            call.message(role, content.stringValue(""));
            for (JsonNode each : Json.elements(message.path("tool_calls"))) {
                call.shownToolRequest(id(each), tool(each), arguments(each));
            }
        }
    }

    private static void parts(JsonNode message, MessageParts parts) {
        String thoughts = message.path("reasoning_content").stringValue("");
        if (!thoughts.isEmpty()) {
            parts.reasoning(thoughts);
        }
        for (JsonNode part : ModelApi.parts(message.path("content"))) {
            part(part, parts);
        }
        for (JsonNode each : Json.elements(message.path("tool_calls"))) {
            parts.toolCall(id(each), tool(each), arguments(each));
        }
    }

    private static void part(JsonNode part, MessageParts parts) {
        String type = part.path("type").stringValue("text");
        if (type.equals("image_url")) {
            String url = part.path("image_url").path("url").stringValue("");
            // The bytes of a picture are no text: their hash stands for them.
            boolean inline = url.startsWith("data:");
            String mediaType = inline ? url.substring(5).split("[;,]", 2)[0] : null;
            parts.image(inline ? "data:" + mediaType : url, mediaType, inline ? sha256(url) : null);
        } else {
            parts.text(part.path("text").stringValue("[" + type + "]"));
        }
    }

    private static String sha256(String text) {
        try {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static String id(JsonNode call) {
        return call.path("id").stringValue("");
    }

    static String tool(JsonNode call) {
        return function(call).path("name").stringValue("");
    }

    static String arguments(JsonNode call) {
        return ModelApi.arguments(function(call));
    }

    private static JsonNode function(JsonNode call) {
        return call.path(call.path("custom").isObject() ? "custom" : "function");
    }

    static void reply(ObjectNode reply, ModelCall call) {
        call.response(reply.path("id").stringValue(null), reply.path("model").stringValue(null));
        JsonNode choice = reply.path("choices").path(0);
        JsonNode message = choice.path("message");
        if (message.isObject()) {
            String thoughts = message.path("reasoning_content").stringValue("");
            if (thoughts.isEmpty()) {
                call.reply(ModelApi.text(message.path("content")));
                for (JsonNode each : Json.elements(message.path("tool_calls"))) {
                    call.toolRequest(id(each), tool(each), arguments(each));
                }
            } else {
                call.replyParts(parts -> parts(message, parts));
            }
        }
        String reason = choice.path("finish_reason").stringValue("");
        if (!reason.isEmpty()) {
            call.finishReason(reason);
        }
        usage(reply.path("usage"), call);
        tokens(reply, choice, call);
    }

    private static void usage(JsonNode usage, ModelCall call) {
        JsonNode input = usage.path("prompt_tokens_details");
        Usage counts = new Usage(
                count(usage.path("prompt_tokens")),
                count(usage.path("completion_tokens")),
                count(input.path("cached_tokens")),
                count(usage.path("completion_tokens_details").path("reasoning_tokens")),
                count(input.path("cache_creation_tokens")));
        if (!counts.equals(Usage.UNKNOWN)) {
            call.usage(counts);
        }
        Double cost = Json.number(usage.path("cost"));
        if (cost != null) {
            call.cost(cost, "USD");
        }
    }

    private static @Nullable Long count(JsonNode value) {
        return value.isNumber() ? Long.valueOf(value.asLong(0)) : null;
    }

    private static void tokens(JsonNode reply, JsonNode choice, ModelCall call) {
        List<Integer> prompt = ids(
                reply.path("prompt_token_ids").isArray()
                        ? reply.path("prompt_token_ids")
                        : choice.path("prompt_token_ids"));
        List<Integer> response = ids(choice.path("token_ids"));
        List<JsonNode> probabilities =
                List.copyOf(Json.elements(choice.path("logprobs").path("content")));
        if (prompt.isEmpty() && response.isEmpty() && probabilities.isEmpty()) {
            return;
        }
        List<Double> logarithms = probabilities.stream()
                .map(each -> each.path("logprob").doubleValue(Double.NaN))
                .toList();
        List<String> texts = probabilities.stream()
                .map(each -> each.path("token").stringValue(""))
                .toList();
        call.tokens(
                new TokenTrace(
                        prompt,
                        response,
                        logarithms,
                        reply.path("weight_version").stringValue(null)),
                texts);
    }

    private static List<Integer> ids(JsonNode list) {
        return Json.elements(list).stream()
                .filter(JsonNode::isInt)
                .map(JsonNode::intValue)
                .toList();
    }
}

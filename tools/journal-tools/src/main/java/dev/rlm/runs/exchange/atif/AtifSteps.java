package dev.rlm.runs.exchange.atif;

import dev.rlm.json.Json;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.Times;
import dev.rlm.runs.exchange.transcript.ChatMessage;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Message.ToolRequest;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.MessagePartBuilder;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Steps of a trajectory as a chat.
 *
 * @param copied number of the first messages, which are another trajectory's: the model was shown them, and all else is told there
 * @param times of the messages
 * @param calls adds to the call of the model that gave a message; {@code null} where none did
 */
record AtifSteps(List<ChatMessage> said, int copied, Times times, List<@Nullable Consumer<ModelCalledBuilder>> calls) {
    private static final Set<String> SOURCES = Set.of("system", ChatMessage.USER, AtifDocument.AGENT);

    static AtifSteps of(JsonObject document, JsonObject head, ImportDefaults defaults) throws BadRecordException {
        if (!document.has(AtifDocument.STEPS)) {
            throw new BadRecordException("\"steps\", a list");
        }
        List<JsonObject> steps = document.objects(AtifDocument.STEPS);
        Times times = Times.of(head, steps, defaults.now().get());
        Reading reading = new Reading(document.object(AtifDocument.AGENT), defaults);
        for (int i = 0; i < steps.size(); i++) {
            try {
                reading.add(steps.get(i), times.messages().get(i));
            } catch (BadRecordException e) {
                throw e.in("steps[" + i + "]");
            }
        }
        Times all = new Times(
                times.start(),
                reading.said.stream().map(ChatMessage::time).toList(),
                List.of(),
                times.end(),
                times.mark());
        return new AtifSteps(reading.said, reading.copied, all, reading.calls);
    }

    private static final class Reading {
        private final JsonObject agent;
        private final ImportDefaults defaults;
        private final List<ChatMessage> said = new ArrayList<>();
        private final List<@Nullable Consumer<ModelCalledBuilder>> calls = new ArrayList<>();
        private int copied;

        Reading(JsonObject agent, ImportDefaults defaults) {
            this.agent = agent;
            this.defaults = defaults;
        }

        void add(JsonObject step, Instant time) throws BadRecordException {
            String source = step.text("source", "");
            if (!SOURCES.contains(source)) {
                throw new BadRecordException("a \"source\" of system, user or agent");
            } else if (!step.has("message")) {
                throw new BadRecordException("a \"message\"");
            }
            boolean agents = source.equals(AtifDocument.AGENT);
            boolean isCopy = Boolean.TRUE.equals(step.flag("is_copied_context"));
            boolean isAtBegin = copied == said.size();
            List<ToolRequest> requests = requests(step);
            List<MessagePart> parts = new ArrayList<>();
            String reasoning = step.text("reasoning_content");
            if (reasoning != null) {
                parts.add(part(MessagePart.Type.REASONING, reasoning));
            }
            String text = content(step.get("message"), parts);
            String role =
                    step.object(AtifDocument.EXTRA).object(AtifDocument.RLM).text("role", source);
            Message message =
                    new Message(agents ? ChatMessage.ASSISTANT : role, defaults.content(text), requests, null, parts);
            Integer count = step.integer("llm_call_count");
            add(
                    new ChatMessage(message, time, false),
                    agents && !isCopy && (count == null || count > 0) ? call(step) : null);
            for (JsonObject result : step.object("observation").objects("results")) {
                if (agents && result.has("content")) {
                    answer(result, requests, time);
                }
            }
            copied = isCopy && isAtBegin ? said.size() : copied;
        }

        private void add(ChatMessage one, @Nullable Consumer<ModelCalledBuilder> call) {
            said.add(one);
            calls.add(call);
        }

        private static MessagePart part(MessagePart.Type type, Content text) {
            return MessagePartBuilder.builder().type(type).content(text).build();
        }

        private MessagePart part(MessagePart.Type type, String text) {
            return part(type, defaults.content(text));
        }

        private void answer(JsonObject result, List<ToolRequest> requests, Instant time) throws BadRecordException {
            List<MessagePart> parts = new ArrayList<>();
            String text = content(result.get("content"), parts);
            String told = result.text("source_call_id");
            String id = told == null && requests.size() == 1 ? requests.get(0).id() : told;
            ToolRequest request = requests.stream()
                    .filter(each -> each.id().equals(id))
                    .findFirst()
                    .orElse(null);
            Boolean failed =
                    result.object(AtifDocument.EXTRA).object(AtifDocument.RLM).flag(AtifDocument.IS_ERROR);
            Message message = new Message(ChatMessage.TOOL, defaults.content(text), List.of(), id, parts);
            boolean error = failed == null ? text.startsWith(ChatMessage.ERROR) : failed;
            add(new ChatMessage(message, time, error, request), null);
        }

        private List<ToolRequest> requests(JsonObject step) throws BadRecordException {
            List<ToolRequest> requests = new ArrayList<>();
            for (JsonObject call : step.objects("tool_calls")) {
                String name = call.text("function_name", "");
                if (name.isBlank()) {
                    throw new BadRecordException("a \"function_name\" in each of \"tool_calls\"");
                }
                JsonNode arguments = call.object("arguments").tree();
                boolean isText = arguments.size() == 1
                        && arguments.path(AtifDocument.INPUT).isString();
                requests.add(new ToolRequest(
                        call.text("tool_call_id", ""),
                        defaults.name(name),
                        defaults.content(
                                isText ? arguments.path(AtifDocument.INPUT).asString() : Json.text(arguments))));
            }
            return requests;
        }

        /** The text, and all parts where one of them is more than a text. */
        private String content(JsonNode content, List<MessagePart> parts) throws BadRecordException {
            if (content.isString()) {
                parts.addAll(parts.isEmpty() ? List.of() : List.of(part(MessagePart.Type.TEXT, content.asString())));
                return content.asString();
            } else if (!content.isArray()) {
                throw new BadRecordException("\"message\" and \"content\" to be a text or a list of parts");
            }
            List<String> texts = new ArrayList<>();
            for (JsonNode part : content) {
                JsonObject of = JsonObject.of(part, "each part");
                JsonObject source = of.object("source");
                String path = source.text("path", "data:");
                String type = of.text("type", "part");
                boolean image = type.equals("image");
                if (of.get("text").isString() || path.startsWith("data:") || !(image || type.equals("audio"))) {
                    String text = of.text("text", "[" + type + "]");
                    texts.add(text);
                    parts.add(part(MessagePart.Type.TEXT, text));
                } else {
                    parts.add(MessagePartBuilder.builder()
                            .type(image ? MessagePart.Type.IMAGE : MessagePart.Type.AUDIO)
                            .uri(defaults.name(path))
                            .mediaType(
                                    source.has("media_type")
                                            ? defaults.name(source.text("media_type", "")
                                                    .toLowerCase(Locale.ROOT))
                                            : null)
                            .build());
                }
            }
            return String.join("\n", texts);
        }

        private Consumer<ModelCalledBuilder> call(JsonObject step) throws BadRecordException {
            JsonObject metrics = step.object("metrics");
            JsonObject extra = metrics.object(AtifDocument.EXTRA);
            Usage usage = new Usage(
                    metrics.number("prompt_tokens"),
                    metrics.number("completion_tokens"),
                    metrics.number("cached_tokens"),
                    whole(extra.get("reasoning_tokens")),
                    whole(extra.get("cache_creation_tokens")));
            Double cost = metrics.decimal("cost_usd");
            TokenTrace tokens = new TokenTrace(
                    numbers(metrics, "prompt_token_ids").stream()
                            .map(Double::intValue)
                            .toList(),
                    numbers(metrics, "completion_token_ids").stream()
                            .map(Double::intValue)
                            .toList(),
                    numbers(metrics, "logprobs"),
                    null);
            boolean traced = !tokens.promptIds().isEmpty()
                    || !tokens.responseIds().isEmpty()
                    || !tokens.logProbabilities().isEmpty();
            String model = defaults.name(step.text("model_name", agent.text("model_name", "")));
            Object effort = Json.values(step.get("reasoning_effort"));
            String reason =
                    step.object(AtifDocument.EXTRA).object(AtifDocument.RLM).text("finish_reason");
            List<JsonNode> tools = agent.list("tool_definitions");
            return call -> call.usage(usage)
                    .costAmount(cost)
                    .costCurrency(cost == null ? null : "USD")
                    .tokens(traced ? tokens : null)
                    .model(model)
                    .parameters(defaults.known("reasoning_effort", effort))
                    .finishReason(reason == null ? null : defaults.name(reason))
                    .toolDefinitions(tools.isEmpty() ? null : defaults.content(Json.text(tools)));
        }

        private static @Nullable Long whole(JsonNode number) {
            return number.isInt() || number.isLong() ? (Long) number.longValue() : null;
        }

        private static List<Double> numbers(JsonObject of, String name) throws BadRecordException {
            List<Double> numbers = new ArrayList<>();
            for (JsonNode each : of.list(name)) {
                Double number = Json.number(each);
                if (number == null) {
                    throw new BadRecordException("\"" + name + "\" to be a list of numbers");
                }
                numbers.add(number);
            }
            return numbers;
        }
    }
}

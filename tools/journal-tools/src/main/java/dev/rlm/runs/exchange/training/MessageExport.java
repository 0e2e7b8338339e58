package dev.rlm.runs.exchange.training;

import dev.rlm.cli.recorded.Marks;
import dev.rlm.journal.RunSummary;
import dev.rlm.json.Json;
import dev.rlm.runs.exchange.output.Export;
import dev.rlm.runs.exchange.output.ExportFormat;
import dev.rlm.runs.exchange.output.ExportStream;
import dev.rlm.runs.exchange.transcript.ChatMessage;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.runs.exchange.transcript.Transcript;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Conversations to train on, one JSON object a run: messages in OpenAI's chat form, and the tools that the model was offered.
 * All lines, and all messages, have the same fields of the same types, since readers make columns of them.
 *
 * @param unrewarded whether to write runs without a reward
 */
public record MessageExport(boolean unrewarded) implements ExportFormat {
    public static final String NAME = "messages";

    private static final String FUNCTION = "function";
    private static final List<String> FIELDS = List.of("role", "content", "tool_calls", "tool_call_id");
    private static final List<String> SCHEMAS = List.of("parameters", "input_schema", "inputSchema");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void write(Export export) throws IOException {
        ExportStream out = export.open("");
        export.each(this::format, formatted -> {
            if (formatted.line() != null) {
                out.write(formatted.line().array());
                out.write('\n');
                export.written(1, 1);
            }
            export.leftOut(formatted.reason(), formatted.reason().isEmpty() ? 0 : 1);
        });
    }

    /** A line of a run, and the reason why there is none, or no tools in it; empty for none. */
    private record Formatted(@Nullable ByteBuffer line, String reason) {}

    private Formatted format(RunSummary summary, List<RunEvent> events) {
        if (!unrewarded && !RunFields.isRewarded(summary)) {
            return new Formatted(null, "no reward");
        }
        RunInfo run = RunFields.run(summary, events);
        Transcript transcript = new Transcript(run, events);
        List<Message> messages =
                transcript.messages().stream().map(ChatMessage::message).toList();
        if (messages.isEmpty()) {
            return new Formatted(null, "no messages");
        } else if (messages.stream()
                .flatMap(message -> message.parts().stream())
                .anyMatch(part -> part.type().isMedia())) {
            return new Formatted(null, "images, audio or files in messages");
        }
        Map<String, JsonNode> tools = new LinkedHashMap<>(); // by name
        List<Content> definitions = transcript.calls().stream()
                .map(ModelCalled::toolDefinitions)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        boolean legible = definitions.stream().allMatch(text -> read(text.text(), tools));
        Map<String, @Nullable Object> line = RunFields.ids(run);
        line.put("model", run.model());
        line.put("environment", run.environment());
        line.put("split", run.correlation().split());
        line.put("train_step", run.correlation().trainStep());
        line.put("policy_version", run.correlation().policyVersion());
        RunFields.result(summary, line);
        Marks marks = Marks.of(messages.stream());
        line.put("redacted", marks.redacted() || definitions.stream().anyMatch(Content::isRedacted));
        line.put("truncated", marks.cut() || definitions.stream().anyMatch(Content::isCut));
        line.put("messages", messages.stream().map(MessageExport::form).toList());
        line.put("tools", legible && !tools.isEmpty() ? Json.text(tools.values()) : null);
        return new Formatted(
                ByteBuffer.wrap(Json.bytes(line)), legible ? "" : "tool definitions that are no JSON array");
    }

    private static ObjectNode form(Message message) {
        ObjectNode said = new ChatMessage(message, Transcript.UNKNOWN, false).toJson();
        ObjectNode form = JsonNodeFactory.instance.objectNode();
        FIELDS.forEach(field -> form.set(field, said.has(field) ? said.get(field) : form.nullNode()));
        return form;
    }

    /** Adds the tools of a JSON array in OpenAI's form; returns whether it is one. */
    private static boolean read(String definitions, Map<String, JsonNode> tools) {
        try {
            JsonNode list = Json.FILE.object("{\"tools\":" + definitions + "}").path("tools");
            Json.elements(list).forEach(tool -> {
                JsonNode function = tool.has(FUNCTION) ? tool.path(FUNCTION) : tool;
                tools.putIfAbsent(function.path("name").asString(Json.text(tool)), form(tool));
            });
            return list.isArray();
        } catch (JacksonException e) {
            return false;
        }
    }

    /** A function in OpenAI's form, be it in that of others; any other tool as it is. */
    private static JsonNode form(JsonNode tool) {
        if (tool.has(FUNCTION) || !tool.path("name").isString()) {
            return tool;
        }
        ObjectNode form = JsonNodeFactory.instance.objectNode().put("type", FUNCTION);
        ObjectNode function =
                form.putObject(FUNCTION).put("name", tool.path("name").stringValue());
        if (tool.path("description").isString()) {
            function.set("description", tool.path("description"));
        }
        SCHEMAS.stream()
                .map(tool::path)
                .filter(JsonNode::isObject)
                .limit(1)
                .forEach(schema -> function.set("parameters", schema));
        return form;
    }
}

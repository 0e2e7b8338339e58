package dev.rlm.journal.line;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.EventSchema;
import dev.rlm.sinks.schema.RecordSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The JSON schema of a journal's lines as the events declare their fields, without descriptions. */
public final class DeclaredSchema {
    private static final Map<Class<?>, String> NAMES = Map.of(
            Message.class, "message",
            Message.ToolRequest.class, "tool_request",
            Usage.class, "usage",
            TokenTrace.class, "tokens",
            RewardComponent.class, "component",
            RetrievedDocument.class, "document",
            OriginalSpan.class, "original_span",
            RunStatus.class, "status",
            LedgerReported.SinkLedger.class, "account");

    private final Map<String, JsonObject> objects = new LinkedHashMap<>();

    /** Lines of all types by name, and the objects in them. */
    public static Map<String, JsonObject> definitions() {
        Map<String, JsonObject> definitions = new LinkedHashMap<>();
        DeclaredSchema schema = new DeclaredSchema();
        for (EventType type : EventType.values()) {
            definitions.put(type.label(), schema.line(EventSchema.of(type)));
        }
        definitions.putAll(schema.objects);
        return definitions;
    }

    /** Lines of one type. */
    static JsonObject definition(EventSchema schema) {
        return new DeclaredSchema().line(schema);
    }

    private JsonObject line(EventSchema schema) {
        JsonObject properties = new JsonObject();
        JsonArray required = new JsonArray();
        JsonObject label = new JsonObject();
        label.addProperty("const", schema.type().label());
        add("type", label, properties, required);
        if (schema.type().isOfRun()) {
            add("run_id", type("string"), properties, required);
            add("seq", atLeast(1), properties, required);
            add("time", reference("time"), properties, required);
            add("nanos", type("integer"), properties, required);
            add("environment", type("string"), properties, required);
            add("model", type("string"), properties, required);
        } else {
            add("time", reference("time"), properties, required);
        }
        if (schema.isInSteps()) {
            boolean always = schema.type() == EventType.STEP_STARTED || schema.type() == EventType.STEP_ENDED;
            add("step", atLeast(1), properties, always ? required : new JsonArray());
        }
        addAll(schema.fields(), properties, required);
        return object(properties, required);
    }

    private void addAll(List<EventField> fields, JsonObject properties, JsonArray required) {
        for (EventField field : fields) {
            add(field.name(), value(field), properties, field.isMandatory() ? required : new JsonArray());
        }
    }

    private static void add(String name, JsonObject value, JsonObject properties, JsonArray required) {
        properties.add(name, value);
        required.add(name);
    }

    private static JsonObject object(JsonObject properties, JsonArray required) {
        JsonObject object = type("object");
        if (!required.isEmpty()) {
            object.add("required", required);
        }
        object.add("properties", properties);
        return object;
    }

    private JsonObject value(EventField field) {
        return switch (field.name()) {
            case "messages" -> {
                Map<String, Integer> earlier = new LinkedHashMap<>();
                earlier.put("call", 1);
                earlier.put("from", 0);
                earlier.put("count", 1);
                yield list(orEarlier(part(field.object()), "earlier_messages", earlier));
            }
            case "system_instructions", "tool_definitions" ->
                orEarlier(reference("text"), "earlier_text", Map.of("call", 1));
            default -> ofKind(field);
        };
    }

    private JsonObject ofKind(EventField field) {
        return switch (field.kind()) {
            case ID, LABEL -> type("string");
            case TEXT -> reference("text");
            case WHOLE, COUNT -> field.min() == Long.MIN_VALUE ? type("integer") : atLeast(field.min());
            case NUMBER -> reference("number");
            case FLAG -> type("boolean");
            case TIME -> reference("time");
            case CHOICE -> choice(field.choices());
            case WHOLES -> list(type("integer"));
            case DECIMALS -> list(reference("number"));
            case VALUES -> type("object");
            case TEXTS -> map(type("string"));
            case NUMBERS -> map(reference("number"));
            case COUNTS -> map(field.min() == Long.MIN_VALUE ? type("integer") : atLeast(field.min()));
            case OBJECT -> part(field.object());
            case OBJECTS -> list(part(field.object()));
            case OBJECTS_BY_NAME -> map(part(field.object()));
            case FILE -> throw new IllegalArgumentException(field + " is no field of a line");
        };
    }

    /** Returns the schema of a value that may be told by where an earlier call has it. */
    private JsonObject orEarlier(JsonObject value, String name, Map<String, Integer> least) {
        JsonObject properties = new JsonObject();
        JsonArray required = new JsonArray();
        least.forEach((field, min) -> add(field, atLeast(min), properties, required));
        objects.put(name, object(properties, required));
        JsonArray any = new JsonArray();
        any.add(value);
        any.add(reference(name));
        JsonObject either = new JsonObject();
        either.add("anyOf", any);
        return either;
    }

    private JsonObject part(RecordSchema record) {
        String name = NAMES.getOrDefault(
                record.type(),
                record.type()
                        .getSimpleName()
                        .replaceAll("(?<=[a-z])([A-Z])", "_$1")
                        .toLowerCase(Locale.ROOT));
        if (!objects.containsKey(name)) {
            objects.put(name, new JsonObject()); // an object may hold others of its kind
            JsonObject properties = new JsonObject();
            JsonArray required = new JsonArray();
            addAll(record.fields(), properties, required);
            objects.put(name, object(properties, required));
        }
        return reference(name);
    }

    private static JsonObject type(String type) {
        JsonObject object = new JsonObject();
        object.addProperty("type", type);
        return object;
    }

    private static JsonObject atLeast(long min) {
        JsonObject object = type("integer");
        object.addProperty("minimum", min);
        return object;
    }

    private static JsonObject reference(String name) {
        JsonObject object = new JsonObject();
        object.addProperty("$ref", "#/$defs/" + name);
        return object;
    }

    private static JsonObject choice(List<String> words) {
        JsonArray all = new JsonArray();
        words.forEach(all::add);
        JsonObject object = new JsonObject();
        object.add("enum", all);
        return object;
    }

    private static JsonObject list(JsonObject each) {
        JsonObject object = type("array");
        object.add("items", each);
        return object;
    }

    private static JsonObject map(JsonObject each) {
        JsonObject object = type("object");
        object.add("additionalProperties", each);
        return object;
    }

    /** The same without what is there for people, and with lists of names in one order. */
    public static JsonElement bare(JsonElement value) {
        if (value.isJsonArray()) {
            JsonArray sorted = new JsonArray();
            value.getAsJsonArray().asList().stream()
                    .sorted((one, other) -> one.toString().compareTo(other.toString()))
                    .forEach(sorted::add);
            return sorted;
        } else if (value instanceof JsonPrimitive) {
            return value;
        }
        JsonObject bare = new JsonObject();
        value.getAsJsonObject().asMap().forEach((name, each) -> {
            if (!name.equals("description") || !each.isJsonPrimitive()) {
                bare.add(name, bare(each));
            }
        });
        return bare;
    }
}

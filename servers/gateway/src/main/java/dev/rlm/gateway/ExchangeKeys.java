package dev.rlm.gateway;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Keys that a request carries to its upstream, which the record of this exchange has nowhere, also where an answer says them again. They are
 * known for the exchange alone: what is a key here may be a word elsewhere.
 *
 * @param values the longest first
 */
record ExchangeKeys(List<String> values) {
    private static final Pattern NAME = Pattern.compile("(?i).*(key|token|auth|secret|cookie|password|credential).*");
    private static final String MARK = "[key]";
    private static final int SHORTEST = 8;

    static ExchangeKeys of(Request request) {
        Stream<String> headers = request.headers().names().stream()
                .filter(name -> NAME.matcher(name).matches())
                .flatMap(name -> request.headers(name).stream());
        Stream<@Nullable String> parameters = request.url().queryParameterNames().stream()
                .filter(name -> NAME.matcher(name).matches())
                .flatMap(name -> request.url().queryParameterValues(name).stream());
        return new ExchangeKeys(Stream.concat(headers, parameters)
                .filter(Objects::nonNull)
                .flatMap(value -> Stream.of(value, value.substring(value.lastIndexOf(' ') + 1)))
                .filter(value -> value.length() >= SHORTEST)
                .distinct()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList());
    }

    /** Returns a text without them. */
    String without(String text) {
        String clean = text;
        for (String key : values) {
            clean = clean.replace(key, MARK);
        }
        return clean;
    }

    boolean isIn(String text) {
        return values.stream().anyMatch(text::contains);
    }

    /** Takes them out of all texts in an object. */
    ObjectNode takeOut(ObjectNode object) {
        if (!values.isEmpty()) {
            clean(object);
        }
        return object;
    }

    private void clean(JsonNode node) {
        if (node instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> each : List.copyOf(object.properties())) {
                object.set(each.getKey(), cleaned(each.getValue()));
            }
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, cleaned(array.get(i)));
            }
        }
    }

    private JsonNode cleaned(JsonNode node) {
        if (node.isString()) {
            String clean = without(node.stringValue());
            return clean.equals(node.stringValue()) ? node : StringNode.valueOf(clean);
        }
        clean(node);
        return node;
    }
}

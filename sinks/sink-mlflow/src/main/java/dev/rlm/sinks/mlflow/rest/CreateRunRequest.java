package dev.rlm.sinks.mlflow.rest;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Request that creates one of MLflow's runs, and finds it again. Keys are made valid, and values are cut to what the server
 * keeps.
 *
 * @param tag the tag that it is found by
 * @param value that tag's value; of letters, digits and {@code _ / . : -} and space, as {@link Keys} makes it
 * @param startTime milliseconds since the epoch
 */
public record CreateRunRequest(
        String tag, String value, Name name, long startTime, Map<String, String> tags, Map<String, String> params) {
    /** The tag that says whose run it is. */
    public static final String USER = "mlflow.user";

    private static final int MAX_TAG = 8_000;
    private static final int MAX_PARAM = 6_000;

    public CreateRunRequest {
        tags = limited(tags, MAX_TAG);
        params = limited(params, MAX_PARAM);
    }

    private static Map<String, String> limited(Map<String, String> values, int max) {
        Map<String, String> limited = new LinkedHashMap<>();
        values.forEach((key, value) -> limited.put(Keys.valid(key), cut(value, max)));
        return Collections.unmodifiableMap(limited);
    }

    private static String cut(String value, int max) {
        return value.codePointCount(0, value.length()) <= max
                ? value
                : value.substring(0, value.offsetByCodePoints(0, max - 1)) + "…";
    }

    /**
     * Name of a run, as people read it.
     *
     * @param subject what it is a run of
     * @param model the first model that acts; empty if none does
     * @param end tells it from others of the subject
     */
    public record Name(String subject, String model, String end) {
        /** Returns the text, for so many models: of several none is named. */
        public String text(int models) {
            return Stream.of(subject, models > 1 ? models + " models" : model, end)
                    .filter(part -> !part.isEmpty())
                    .collect(Collectors.joining(" "));
        }
    }
}

package dev.rlm.sinks.otel.backend;

import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * One trace as Tempo's search lists it.
 *
 * @param rootName the root span's name; what Tempo says in its place where it has none
 * @param startNanos since 1970
 * @param matched how many of its spans are what was searched for
 * @param spans some of these
 */
public record TempoFound(
        String traceId, String rootService, String rootName, long startNanos, int matched, List<Match> spans) {

    /** A span that is what was searched for, with the attributes that the query speaks of. */
    public record Match(String spanId, String name, Map<String, Object> attributes) {}

    static TempoFound of(JsonNode trace) {
        JsonNode set = trace.path("spanSet");
        return new TempoFound(
                wholeId(trace.path("traceID").asString()),
                trace.path("rootServiceName").asString(""),
                trace.path("rootTraceName").asString(""),
                trace.path("startTimeUnixNano").asLong(0),
                set.path("matched").asInt(0),
                set.path("spans").valueStream().map(TempoFound::match).toList());
    }

    private static Match match(JsonNode span) {
        return new Match(
                span.path("spanID").asString(),
                span.path("name").asString(""),
                TempoSpan.values(span.path("attributes")));
    }

    /** Searches leave the zeros away with which an id begins. */
    private static String wholeId(String id) {
        return "0".repeat(32 - id.length()) + id;
    }
}

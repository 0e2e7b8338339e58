package dev.rlm.cli.testkit;

import java.util.Map;
import java.util.stream.Collectors;

/** Requests of OTLP in JSON, as agents send them; their texts need no escapes. */
public final class OtlpJson {
    private static final long START = 1_767_323_045_000_000_000L;
    private static final long SECOND = 1_000_000_000;
    private static final Map<String, String> CHAT =
            Map.of("gen_ai.operation.name", "chat", "gen_ai.provider.name", "openai", "gen_ai.request.model", "gpt-x");

    private OtlpJson() {}

    /** Returns the id of the run that a trace becomes. */
    public static String runId(int trace) {
        return String.format("%032x", trace);
    }

    /**
     * A span that begins as many seconds after the start as its number says, and takes half a second; nine where it has no
     * parent, 0.
     */
    public static String span(int trace, int id, int parent, String name, Map<String, String> attributes) {
        long start = START + id * SECOND;
        String all = attributes.entrySet().stream()
                .map(each ->
                        "{\"key\":\"" + each.getKey() + "\",\"value\":{\"stringValue\":\"" + each.getValue() + "\"}}")
                .collect(Collectors.joining(","));
        return "{\"traceId\":\"" + runId(trace) + "\",\"spanId\":\"" + String.format("%016x", id)
                + (parent == 0 ? "" : "\",\"parentSpanId\":\"" + String.format("%016x", parent))
                + "\",\"name\":\"" + name
                + "\",\"startTimeUnixNano\":\"" + start
                + "\",\"endTimeUnixNano\":\"" + (start + (parent == 0 ? 9 * SECOND : SECOND / 2))
                + "\",\"attributes\":[" + all + "]}";
    }

    /** The call of a model, which the root of a trace, with no parent, is not. */
    public static String call(int trace, int id, int parent) {
        return parent == 0 ? span(trace, id, 0, "agent", Map.of()) : span(trace, id, parent, "chat", CHAT);
    }

    /** The request that sends spans. */
    public static String request(String... spans) {
        return "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":"
                + "\"my-agent\"}}]},\"scopeSpans\":[{\"spans\":[" + String.join(",", spans) + "]}]}]}";
    }
}

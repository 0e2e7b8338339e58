package dev.rlm.sinks.otel;

import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * One trace as Jaeger shows it.
 *
 * @param warnings what Jaeger finds wrong with the trace or with any of its spans
 */
record JaegerTrace(String traceId, List<JaegerSpan> spans, List<String> warnings) {

    static JaegerTrace of(JsonNode trace) {
        List<JaegerSpan> spans = trace.path("spans")
                .valueStream()
                .map(span -> JaegerSpan.of(span, trace.path("processes")))
                .toList();
        List<String> warnings = Stream.concat(
                        JaegerSpan.strings(trace.path("warnings")).stream(),
                        spans.stream().flatMap(span -> span.warnings().stream()))
                .toList();
        return new JaegerTrace(trace.path("traceID").asString(), spans, warnings);
    }

    /** The spans of this name. */
    List<JaegerSpan> spans(String name) {
        return spans.stream().filter(each -> each.name().equals(name)).toList();
    }
}

package dev.rlm.sinks.otel.otlp;

import io.opentelemetry.exporter.internal.otlp.traces.TraceRequestMarshaler;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;

/** Writer of requests of OTLP, each of spans of one resource and one scope, for exporters that take {@link SpanData}. */
public final class SpanRequest {
    private SpanRequest() {}

    /**
     * Writes them in JSON, in one line without its end, as the exporters of OpenTelemetry write it: the one place that names
     * their internal classes.
     */
    public static void writeJson(Collection<SpanData> spans, OutputStream out) throws IOException {
        TraceRequestMarshaler.create(spans).writeJsonTo(out);
    }

    /** Writes them in the binary form of protobuf. */
    public static void writeProtobuf(Collection<SpanData> spans, OutputStream out) throws IOException {
        if (!spans.isEmpty()) {
            SpanData any = spans.iterator().next();
            SpanEncoder encoder = new SpanEncoder(any.getResource(), any.getInstrumentationScopeInfo());
            encoder.write(spans.stream().map(encoder::encode).toList(), out);
        }
    }
}

package dev.rlm.sinks.otel.otlp;

import io.opentelemetry.exporter.internal.otlp.traces.TraceRequestMarshaler;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;

/** One request of OTLP, of spans of one resource and one scope, for exporters that take {@link SpanData}. */
public final class SpanRequest {
    private final Collection<SpanData> spans;

    private SpanRequest(Collection<SpanData> spans) {
        this.spans = spans;
    }

    public static SpanRequest of(Collection<SpanData> spans) {
        return new SpanRequest(spans);
    }

    /**
     * In JSON, in one line without its end, as the exporters of OpenTelemetry write it: the one place that names their
     * internal classes.
     */
    public void writeJson(OutputStream out) throws IOException {
        TraceRequestMarshaler.create(spans).writeJsonTo(out);
    }

    /** In the binary form of protobuf. */
    public void writeProtobuf(OutputStream out) throws IOException {
        if (!spans.isEmpty()) {
            SpanData any = spans.iterator().next();
            SpanEncoder encoder = new SpanEncoder(any.getResource(), any.getInstrumentationScopeInfo());
            for (byte[] part :
                    encoder.request(spans.stream().map(encoder::encode).toList())) {
                out.write(part);
            }
        }
    }
}

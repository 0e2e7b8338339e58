package dev.rlm.sinks.otel.otlp;

import io.opentelemetry.exporter.internal.otlp.traces.TraceRequestMarshaler;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;

/** One request of OTLP, of spans, as the exporters of OpenTelemetry write it: the one place that names their internal classes. */
public final class SpanRequest {
    private final TraceRequestMarshaler marshaler;

    private SpanRequest(TraceRequestMarshaler marshaler) {
        this.marshaler = marshaler;
    }

    public static SpanRequest of(Collection<SpanData> spans) {
        return new SpanRequest(TraceRequestMarshaler.create(spans));
    }

    /** In JSON, in one line without its end. */
    public void writeJson(OutputStream out) throws IOException {
        marshaler.writeJsonTo(out);
    }

    /** In the binary form of protobuf. */
    public void writeProtobuf(OutputStream out) throws IOException {
        marshaler.writeBinaryTo(out);
    }
}

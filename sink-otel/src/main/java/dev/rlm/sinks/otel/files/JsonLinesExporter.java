package dev.rlm.sinks.otel.files;

import io.opentelemetry.exporter.internal.otlp.traces.TraceRequestMarshaler;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;

/**
 * Writes batches of spans to a stream in OTLP's JSON, one request a line: the form of OpenTelemetry's file exporter, which
 * collectors and Jaeger's page read. After an error nothing more is written, so that no line follows half a line.
 */
public final class JsonLinesExporter implements SpanExporter {
    /** The format's name. */
    public static final String FORMAT = "otlp";

    /** The beginning of every line. */
    public static final String HEAD = "{\"resourceSpans\":[";

    private final OutputStream out;
    private boolean failed;

    public JsonLinesExporter(OutputStream out) {
        this.out = out;
    }

    @Override
    public synchronized CompletableResultCode export(Collection<SpanData> spans) {
        if (failed) {
            return CompletableResultCode.ofFailure();
        }
        try {
            write(spans, out);
            return CompletableResultCode.ofSuccess();
        } catch (IOException e) {
            failed = true;
            return CompletableResultCode.ofExceptionalFailure(e);
        }
    }

    /** Writes one line. */
    static void write(Collection<SpanData> spans, OutputStream to) throws IOException {
        TraceRequestMarshaler.create(spans).writeJsonTo(to); // internal, and named here alone
        to.write('\n');
    }

    @Override
    public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess(); // the stream is the caller's
    }

    @Override
    public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
    }
}

package dev.rlm.sinks.otel.files;

import dev.rlm.sinks.delivery.DeliveryException;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Collection;

/** Appends each batch of spans to a file, as a line; a reader sees it at once. A line that the disk does not take is tried again. */
public final class FileSpanExporter implements SpanExporter {
    private static final String REASON = "file_error";

    private final SharedLinesFile file;

    public FileSpanExporter(SharedLinesFile file) {
        this.file = file;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        try {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            JsonLinesExporter.write(spans, line);
            file.append(line.toByteArray());
            return CompletableResultCode.ofSuccess();
        } catch (IOException e) {
            Failure failure = Failure.of(REASON, "it cannot be written: " + reason(e), Remedy.RETRY);
            return CompletableResultCode.ofExceptionalFailure(new DeliveryException(failure));
        }
    }

    /** Returns what is wrong; a file system's exceptions may have no more than a path for a message. */
    public static String reason(IOException error) {
        String name = error.getClass().getSimpleName();
        return error.getClass() == IOException.class
                ? String.valueOf(error.getMessage())
                : name + ", " + error.getMessage();
    }

    @Override
    public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
    }
}

package dev.rlm.sinks.otel;

import io.opentelemetry.exporter.internal.FailedExportException.GrpcExportException;
import io.opentelemetry.exporter.internal.FailedExportException.HttpExportException;
import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import io.opentelemetry.sdk.common.export.HttpResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why an export failed.
 *
 * @param reason one of few words, for counting
 * @param detail for people, in one line; nothing that a server says, which might be what it was sent
 * @param unsupported whether the back end does not take this kind of data at all
 */
record Failure(String reason, String detail, boolean unsupported) {
    private static final int HTTP_NOT_FOUND = 404;

    static Failure of(@Nullable Throwable error) {
        if (error instanceof HttpExportException http && http.getResponse() != null) {
            return of(http.getResponse());
        } else if (error instanceof GrpcExportException grpc && grpc.getResponse() != null) {
            return of(grpc.getResponse());
        } else if (error == null) {
            return new Failure("export_failed", "the exporter gave no reason", false);
        }
        Throwable cause = error.getCause() == null ? error : error.getCause();
        if (cause instanceof InterruptedIOException) {
            return timeout();
        }
        // Only a failure of the network tells what is wrong in its message; others may quote a header, with its secret.
        String detail = cause instanceof IOException
                ? cause.toString()
                : cause.getClass().getName();
        return new Failure("export_unreachable", detail, false);
    }

    /** A request is still under way, or is tried again, when its answer was to be there. */
    static Failure pending() {
        return new Failure("export_pending", "nothing has answered so far", false);
    }

    static Failure timeout() {
        return new Failure("export_timeout", "no answer in time", false);
    }

    private static Failure of(HttpResponse response) {
        int code = response.getStatusCode();
        return new Failure("export_http_" + code, "HTTP status " + code, code == HTTP_NOT_FOUND);
    }

    private static Failure of(GrpcResponse response) {
        GrpcStatusCode code = response.getStatusCode();
        String name = code.name().toLowerCase(Locale.ROOT);
        return new Failure("export_grpc_" + name, "gRPC status " + code, code == GrpcStatusCode.UNIMPLEMENTED);
    }
}

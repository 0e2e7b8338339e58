package dev.rlm.sinks.otel.backend;

import io.grpc.Status;
import io.grpc.Status.Code;

/** What an {@link OtlpReceiver} says to an export, in the words of both protocols. */
public enum OtlpAnswer {
    /** The export is taken, and its content shown by the receiver. */
    ACCEPT(Code.OK, 200, "taken"),
    /** There is no such service here: Jaeger's answer to metrics and logs. */
    REFUSE(Code.UNIMPLEMENTED, 404, "unknown service"),
    /** The export is at fault and may not be repeated. */
    REJECT(Code.INVALID_ARGUMENT, 400, "malformed request"),
    /** The back end is out of order; the export may be repeated. */
    UNAVAILABLE(Code.UNAVAILABLE, 503, "out of order"),
    /** There is too much at once; the export may be repeated. */
    OVERLOADED(Code.RESOURCE_EXHAUSTED, 429, "too much at once"),
    /** The export has no credentials, or wrong ones, which are quoted in the answer. */
    UNAUTHENTICATED(Code.UNAUTHENTICATED, 401, "these credentials will not do"),
    /** The export has more than a thousand bytes and is too large, or is taken. */
    SMALL_ONLY(Code.RESOURCE_EXHAUSTED, 413, "grpc: received message larger than max (1001 vs. 1000)"),
    /** No answer until another one is chosen, which is then given to all who wait. */
    HANG(Code.UNAVAILABLE, 503, "closed while hanging");

    private final Code grpcCode;
    private final int httpStatus;
    private final String reason;

    OtlpAnswer(Code grpcCode, int httpStatus, String reason) {
        this.grpcCode = grpcCode;
        this.httpStatus = httpStatus;
        this.reason = reason;
    }

    Status grpcStatus() {
        return grpcCode.toStatus().withDescription(reason);
    }

    int httpStatus() {
        return httpStatus;
    }
}

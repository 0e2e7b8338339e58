package dev.rlm.recorder;

import java.io.IOException;

/** A request that does not keep to HTTP, or to what is accepted of it. The message is for the client. */
final class BadRequestException extends IOException {
    private static final long serialVersionUID = 1;

    private final int status;

    BadRequestException(int status, String message) {
        super(message);
        this.status = status;
    }

    Response response() {
        return Response.error(status, String.valueOf(getMessage()));
    }
}

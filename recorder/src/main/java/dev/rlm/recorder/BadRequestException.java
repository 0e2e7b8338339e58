package dev.rlm.recorder;

import dev.rlm.json.Json;
import java.io.IOException;

/** A request that does not keep to HTTP, or to what is accepted of it. The message is for the client. */
final class BadRequestException extends IOException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String header;

    BadRequestException(int status, String message) {
        this(status, message, "");
    }

    /** One whose answer has a header more, which ends with its line. */
    BadRequestException(int status, String message, String header) {
        super(message);
        this.status = status;
        this.header = header;
    }

    Response response() {
        return new Response(status, header, "{\"ok\":false,\"error\":" + Json.text(getMessage()) + "}\n");
    }
}

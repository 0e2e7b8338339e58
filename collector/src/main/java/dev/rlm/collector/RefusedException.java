package dev.rlm.collector;

/** Request that was not taken. The message is for the client. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;

    RefusedException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** One to be sent again later. */
    static RefusedException busy() {
        return new RefusedException(429, "too much is under way: send it again later");
    }

    /** Returns the status of HTTP. */
    int status() {
        return status;
    }

    /** Returns the status of gRPC. */
    int grpcStatus() {
        return switch (status) {
            case 401 -> 16;
            case 403 -> 7;
            case 404, 405, 415 -> 12;
            case 429 -> 8;
            case 503 -> 14;
            default -> 3;
        };
    }
}

package dev.rlm.server.http;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A request is not served. The message says in one line what is wrong and what is allowed. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final @Nullable String allowed;

    public RefusedException(int status, String message) {
        this(status, message, null);
    }

    private RefusedException(int status, String message, @Nullable String allowed) {
        super(message);
        this.status = status;
        this.allowed = allowed;
    }

    /** Returns the refusal of all methods but one. */
    public static RefusedException allowing(String method) {
        return new RefusedException(405, "only " + method + " is allowed here", method);
    }

    public int status() {
        return status;
    }

    @Nullable
    String allowed() {
        return allowed;
    }

    /** Does nothing: an answer is no failure. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}

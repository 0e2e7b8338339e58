package dev.rlm.sinks.mlflow.rest;

import dev.rlm.sinks.delivery.DeliveryException;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.http.HttpBody;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** What came of a request: the server's answer, or why there is none. Immutable. */
public final class Answer {
    private static final Map<String, @Nullable Object> NOTHING = Map.of();

    private final int status;
    private final Map<String, @Nullable Object> json;
    private final @Nullable Failure failure;

    private Answer(int status, Map<String, @Nullable Object> json, @Nullable Failure failure) {
        this.status = status;
        this.json = json;
        this.failure = failure;
    }

    /** One that the server gave; an {@link IOException} where there is too much of it. */
    static Answer of(Response response, HttpBody body, List<String> secrets) throws IOException {
        if (!body.isWhole()) {
            throw new IOException("the answer is too long");
        }
        Map<String, @Nullable Object> json = Json.read(body.bytes()).orElse(NOTHING);
        return new Answer(
                response.code(), json, response.isSuccessful() ? null : Meaning.of(response, body, json, secrets));
    }

    /** None came. */
    static Answer none(Failure why) {
        return new Answer(0, NOTHING, why);
    }

    /** The HTTP status; 0 where no answer came. */
    public int status() {
        return status;
    }

    /** Whether the server did what it was asked for. */
    public boolean isTaken() {
        return failure == null;
    }

    /** Why it did not; {@code null} where it did. Its remedy says whether to ask again. */
    public @Nullable Failure failure() {
        return failure;
    }

    /** Whether what was asked for is not there, or was deleted. */
    public boolean isGone() {
        return !isTaken() && Meaning.isGone(errorCode(), text("message"));
    }

    /** The word by which the server says what is wrong, such as {@code RESOURCE_ALREADY_EXISTS}; empty where it says none. */
    public String errorCode() {
        return text("error_code");
    }

    /** What the server said, where it was an object of JSON; else an empty one. */
    public Map<String, @Nullable Object> json() {
        return json;
    }

    /** The text at that place of the answer, such as {@code run}, {@code info}, {@code run_id}; empty where there is none. */
    public String text(String... path) {
        Object place = json;
        for (String name : path) {
            place = place instanceof Map<?, ?> object ? object.get(name) : null;
        }
        return place == null ? "" : place.toString();
    }

    /** The same answer, if it was taken. */
    public Answer orThrow() throws DeliveryException {
        if (failure != null) {
            throw new DeliveryException(failure);
        }
        return this;
    }
}

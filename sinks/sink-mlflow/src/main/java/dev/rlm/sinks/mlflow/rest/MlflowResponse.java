package dev.rlm.sinks.mlflow.rest;

import dev.rlm.json.Json;
import dev.rlm.sinks.delivery.DeliveryException;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.http.HttpBody;
import java.io.IOException;
import java.util.List;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Outcome of a request: the server's answer, or why there is none.
 *
 * @param status the HTTP status; 0 where no answer came
 * @param json what the server said; a missing node where it was no object of JSON
 * @param failure why it did not do what it was asked for, and whether to ask again; {@code null} where it did
 */
public record MlflowResponse(
        int status, JsonNode json, @Nullable Failure failure) {
    /** One that the server gave; an {@link IOException} where there is too much of it. */
    static MlflowResponse of(Response response, HttpBody body, List<String> secrets) throws IOException {
        if (!body.isWhole()) {
            throw new IOException("the answer is too long");
        }
        JsonNode json = object(body.bytes());
        return new MlflowResponse(
                response.code(),
                json,
                response.isSuccessful() ? null : ErrorClassifier.of(response, body, json, secrets));
    }

    private static JsonNode object(byte[] bytes) {
        try {
            return Json.REPLY.object(bytes, 0, bytes.length);
        } catch (JacksonException e) {
            return MissingNode.getInstance();
        }
    }

    /** None came. */
    static MlflowResponse none(Failure why) {
        return new MlflowResponse(0, MissingNode.getInstance(), why);
    }

    /** Returns whether the server did what it was asked for. */
    public boolean isTaken() {
        return failure == null;
    }

    /** Returns whether what was asked for is not there, or was deleted. */
    public boolean isGone() {
        return !isTaken() && ErrorClassifier.isGone(errorCode(), text("message"));
    }

    /** The word by which the server says what is wrong, such as {@code RESOURCE_ALREADY_EXISTS}; empty where it says none. */
    public String errorCode() {
        return text("error_code");
    }

    /** The text at that place of the answer, such as {@code run}, {@code info}, {@code run_id}; empty where there is none. */
    public String text(String... path) {
        JsonNode place = json;
        for (String name : path) {
            place = place.path(name);
        }
        return place.asString("");
    }

    /** The same answer, if it was taken. */
    public MlflowResponse orThrow() throws DeliveryException {
        if (failure != null) {
            throw new DeliveryException(failure);
        }
        return this;
    }
}

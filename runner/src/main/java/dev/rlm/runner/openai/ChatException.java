package dev.rlm.runner.openai;

import dev.rlm.json.Json;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** A call of a model that came to nothing. The message is one line, and names no secret of ours. */
final class ChatException extends IOException {
    private static final long serialVersionUID = 1;
    private static final int MAX_LENGTH = 500;

    private final boolean passing;
    private final boolean paused;
    private final @Nullable Duration pause;

    /**
     * A failure.
     *
     * @param passing whether the same request may well work a little later
     * @param pause what the server asks to wait before that; {@code null} where it does not say
     */
    ChatException(String message, boolean passing, @Nullable Duration pause) {
        this(message, passing, false, pause);
    }

    private ChatException(String message, boolean passing, boolean paused, @Nullable Duration pause) {
        super(oneLine(message));
        this.passing = passing;
        this.paused = paused;
        this.pause = pause;
    }

    /** Returns the refusal of a server that takes no calls for now, such as while the weights change. */
    static ChatException paused(String message, Duration pause) {
        return new ChatException(message, true, true, pause);
    }

    /** A failure that another try would not mend, or that came too late for one. */
    static ChatException lasting(String message) {
        return new ChatException(message, false, null);
    }

    /** Returns it with the address that was asked, behind all else. */
    ChatException from(URI address) {
        String shown = address.toString().replaceFirst("^https?://", "");
        ChatException whole = new ChatException(getMessage() + " (POST " + shown + ")", passing, paused, pause);
        whole.setStackTrace(getStackTrace());
        return whole;
    }

    boolean isPassing() {
        return passing;
    }

    /** Returns whether the server is asked again for as long as it takes. */
    boolean isPaused() {
        return paused;
    }

    @Nullable
    Duration pause() {
        return pause;
    }

    /** The server's own words on an error, for which each has its own form; of a body in no known form, its text. */
    static String said(String body) {
        try {
            JsonNode reply = Json.REPLY.object(body);
            JsonNode error = reply.path("error");
            return oneLine(Stream.of(error, error.path("message"), reply.path("message"), reply.path("detail"))
                    .filter(JsonNode::isString)
                    .map(JsonNode::stringValue)
                    .findFirst()
                    .orElse(body));
        } catch (JacksonException e) {
            return oneLine(body);
        }
    }

    /** The text on one line, and of a long one its beginning. */
    static String oneLine(String text) {
        String line = text.replaceAll("\\s+", " ").strip();
        return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "…";
    }
}

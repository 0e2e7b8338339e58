package dev.rlm.sinks.testkit.chat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A request that the server got.
 *
 * @param path as it was sent, with its query
 * @param headers by name in small letters, with each value in the order in which it came
 * @param body all of it
 */
public record ChatRequest(String method, String path, Map<String, List<String>> headers, String body) {
    private static final Pattern STREAM = Pattern.compile("(?<!\\\\)\"stream\"\\s*:\\s*true");

    public ChatRequest {
        headers = Map.copyOf(headers);
    }

    /** The header's first value; its name in small letters. */
    public Optional<String> header(String name) {
        return headers.getOrDefault(name, List.of()).stream().findFirst();
    }

    /** Returns whether the reply is to come as a stream. */
    public boolean wantsStream() {
        return STREAM.matcher(body).find();
    }
}

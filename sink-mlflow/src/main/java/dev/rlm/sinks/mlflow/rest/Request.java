package dev.rlm.sinks.mlflow.rest;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One request to a tracking server; immutable. */
public final class Request {
    private static final String JSON = "application/json";

    private final String method;
    private final String path;
    private final Map<String, String> headers;
    private final byte[] body;
    private final boolean repeatable;

    private Request(String method, String path, Map<String, String> headers, byte[] body, boolean repeatable) {
        this.method = method;
        this.path = path;
        this.headers = Map.copyOf(headers);
        this.body = body;
        this.repeatable = repeatable;
    }

    /**
     * Asks.
     *
     * @param path such as {@code /api/2.0/mlflow/runs/get}
     */
    public static Request get(String path, Map<String, String> query) {
        String parameters = new TreeMap<>(query)
                .entrySet().stream()
                        .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
                        .collect(Collectors.joining("&"));
        return new Request("GET", parameters.isEmpty() ? path : path + "?" + parameters, Map.of(), new byte[0], true);
    }

    /** Sends JSON. What is sent twice does what it does once. */
    public static Request post(String path, Map<String, ?> json) {
        return post(path, JSON, Json.bytes(json));
    }

    /** Sends JSON that must not be sent a second time without a look at what came of the first. */
    public static Request postOnce(String path, Map<String, ?> json) {
        return new Request("POST", path, Map.of("Content-Type", JSON), Json.bytes(json), false);
    }

    /** Sends bytes, which are not copied. What is sent twice does what it does once. */
    public static Request post(String path, String contentType, byte[] body) {
        return new Request("POST", path, Map.of("Content-Type", contentType), body, true);
    }

    /** Sends a file, whose bytes are not copied. */
    public static Request put(String path, byte[] file) {
        return new Request("PUT", path, Map.of("Content-Type", "application/octet-stream"), file, true);
    }

    /** The same with a header more. */
    public Request header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Request(method, path, more, body, repeatable);
    }

    /** Whether to send it again at once when a connection was cut, as servers do with those that were idle. */
    boolean isRepeatable() {
        return repeatable;
    }

    /** The request of Java's client, below an address. */
    HttpRequest.Builder to(String address) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path));
        headers.forEach(request::header);
        return request.method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    }
}

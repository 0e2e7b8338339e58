package dev.rlm.sinks.otel.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks a server for JSON. What it does not answer as hoped fails the test, with the answer. */
final class JsonClient {
    private final HttpClient client = HttpClient.newHttpClient();
    private final JsonMapper json = new JsonMapper();

    JsonNode get(String uri) {
        return find(uri).orElseThrow(() -> new AssertionError("404 for " + uri));
    }

    /** Nothing where the server does not know what is asked for. */
    Optional<JsonNode> find(String uri) {
        HttpResponse<String> answer = send(request(uri).build());
        return answer.statusCode() == 404 ? Optional.empty() : Optional.of(read(uri, answer));
    }

    JsonNode post(String uri, Object body) {
        HttpRequest.BodyPublisher text = HttpRequest.BodyPublishers.ofString(json.writeValueAsString(body));
        return read(
                uri,
                send(request(uri)
                        .header("Content-Type", "application/json")
                        .POST(text)
                        .build()));
    }

    /** A file that is kept there, of text. */
    String file(String uri) {
        return checked(uri, send(request(uri).build())).body();
    }

    String text(Object value) {
        return json.writeValueAsString(value);
    }

    /** The query of an address, with its question mark. */
    static String query(Map<String, ?> parameters) {
        return new TreeMap<>(parameters)
                .entrySet().stream()
                        .map(each -> each.getKey() + "="
                                + URLEncoder.encode(String.valueOf(each.getValue()), StandardCharsets.UTF_8))
                        .collect(Collectors.joining("&", "?", ""));
    }

    private static HttpRequest.Builder request(String uri) {
        return HttpRequest.newBuilder(URI.create(uri));
    }

    private JsonNode read(String uri, HttpResponse<String> answer) {
        return json.readTree(checked(uri, answer).body());
    }

    private static HttpResponse<String> checked(String uri, HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as("%s: %s", uri, answer.body()).isEqualTo(200);
        return answer;
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}

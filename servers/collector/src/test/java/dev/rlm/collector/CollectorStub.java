package dev.rlm.collector;

import com.sun.net.httpserver.HttpServer;
import dev.rlm.json.Json;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** An OpenTelemetry Collector as far as its configuration goes: takes requests where that says, and sends them on there. */
final class CollectorStub {
    private CollectorStub() {}

    public static void main(String[] arguments) throws Exception {
        if (!arguments[0].equals("--config")) {
            throw new IllegalArgumentException(arguments[0]);
        }
        JsonNode config = Json.REPLY.object(Files.readString(Path.of(arguments[1])));
        JsonNode exporter = config.at("/exporters/otlphttp");
        for (String signal : new String[] {"traces", "logs", "metrics"}) {
            JsonNode pipeline = config.at("/service/pipelines/" + signal);
            if (!pipeline.at("/receivers/0").stringValue("").equals("otlp")
                    || !pipeline.at("/exporters/0").stringValue("").equals("otlphttp")) {
                throw new IllegalArgumentException(config.toString());
            }
        }
        String[] listen = config.at("/receivers/otlp/protocols/http/endpoint")
                .stringValue("")
                .split(":", -1);
        HttpClient client = HttpClient.newHttpClient();
        HttpServer server = HttpServer.create(new InetSocketAddress(listen[0], Integer.parseInt(listen[1])), 0);
        server.createContext("/", exchange -> {
            HttpRequest.Builder request = HttpRequest.newBuilder(
                            URI.create(exporter.path("endpoint").stringValue("") + exchange.getRequestURI()))
                    .header("Content-Type", exchange.getRequestHeaders().getFirst("Content-Type"))
                    .POST(HttpRequest.BodyPublishers.ofByteArray(
                            exchange.getRequestBody().readAllBytes()));
            exporter.path("headers")
                    .forEachEntry((name, value) ->
                            request.header(name, expand(value.stringValue("")).replace("$$", "$")));
            try {
                int status = client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                        .statusCode();
                exchange.sendResponseHeaders(status, -1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        server.start();
    }

    private static String expand(String text) {
        return Pattern.compile("\\$\\{env:(\\w+)}")
                .matcher(text)
                .replaceAll(variable -> Matcher.quoteReplacement(System.getenv(variable.group(1))));
    }
}

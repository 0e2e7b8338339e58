package dev.rlm.collector;

import io.opentelemetry.proto.trace.v1.Span;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * An agent that knows the variables of OTLP, and nothing of what collects. Its arguments are done in turn: {@code TRACE/ID/PARENT}
 * sends a call of a model, {@code TRACE/ID/0} a root, {@code wait} waits until what started it has gone, {@code touch=FILE} makes a
 * file, and {@code sleep} stays.
 */
final class SendingAgent {
    private SendingAgent() {}

    public static void main(String[] arguments) throws Exception {
        for (String argument : arguments) {
            if (argument.equals("wait")) {
                ProcessHandle.current()
                        .parent()
                        .filter(parent -> parent.pid() > 1)
                        .ifPresent(parent -> parent.onExit().join());
            } else if (argument.startsWith("touch=")) {
                Files.createFile(Path.of(argument.substring("touch=".length())));
            } else if (argument.equals("sleep")) {
                Thread.sleep(600_000);
            } else {
                String[] ids = argument.split("/", -1);
                send(Integer.parseInt(ids[0]), Integer.parseInt(ids[1]), Integer.parseInt(ids[2]));
            }
        }
    }

    private static void send(int trace, int id, int parent) throws Exception {
        Map<String, String> chat = Map.of("gen_ai.operation.name", "chat", "gen_ai.request.model", "gpt-x");
        Span span = parent == 0
                ? Otlp.lasting(9, Otlp.of(trace, id, 0, "agent", Map.of()).build())
                : Otlp.of(trace, id, parent, "chat", chat).build();
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(System.getenv("OTEL_EXPORTER_OTLP_ENDPOINT") + "/v1/traces"))
                .header("Content-Type", "application/x-protobuf")
                .POST(HttpRequest.BodyPublishers.ofByteArray(Otlp.request(span).toByteArray()));
        String headers = System.getenv("OTEL_EXPORTER_OTLP_HEADERS");
        if (headers != null) {
            String[] header = headers.split("=", 2);
            request.header(header[0], URLDecoder.decode(header[1], StandardCharsets.UTF_8));
        }
        HttpResponse<Void> response =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.discarding());
        if (response.statusCode() != 200) {
            throw new IllegalStateException("status " + response.statusCode());
        }
    }
}

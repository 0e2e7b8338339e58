package dev.rlm.cli.testkit;

import dev.rlm.cli.Shell;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An agent that knows the variables of OTLP, and nothing of what collects. Its arguments are done in turn: {@code TRACE/ID/PARENT}
 * sends a call of a model, {@code TRACE/ID/0} a root, {@code wait} waits until what started it has gone, {@code touch=FILE} makes a
 * file, and {@code stay} does not end.
 */
public final class SendingAgent {
    private SendingAgent() {}

    /** Returns the line of a shell that runs it. */
    public static String line(String... arguments) throws URISyntaxException {
        Path classes = Path.of(SendingAgent.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classes.toString(),
                SendingAgent.class.getName()));
        words.addAll(List.of(arguments));
        return Shell.line(words);
    }

    public static void main(String[] arguments) throws Exception {
        for (String argument : arguments) {
            if (argument.equals("wait")) {
                ProcessHandle.current()
                        .parent()
                        .filter(parent -> parent.pid() > 1)
                        .ifPresent(parent -> parent.onExit().join());
            } else if (argument.startsWith("touch=")) {
                Files.createFile(Path.of(argument.substring("touch=".length())));
            } else if (argument.equals("stay")) {
                TimeUnit.MINUTES.sleep(10);
            } else {
                String[] ids = argument.split("/", -1);
                send(OtlpJson.call(Integer.parseInt(ids[0]), Integer.parseInt(ids[1]), Integer.parseInt(ids[2])));
            }
        }
    }

    private static void send(String span) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(System.getenv("OTEL_EXPORTER_OTLP_ENDPOINT") + "/v1/traces"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(OtlpJson.request(span)));
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

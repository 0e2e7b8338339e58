package dev.rlm.collector;

import static dev.rlm.collector.Otlp.lasting;
import static dev.rlm.collector.Otlp.request;

import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A sender that may be killed: sends one trace after the other, each in two requests, and says the number of each that was acknowledged. */
final class CollectSender {
    private static final int MOST = 1_000_000; // traces of a sender
    private static final long PAUSE_MILLIS = 50; // before it tries again
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Map<String, String> CHAT =
            Map.of("gen_ai.operation.name", "chat", "gen_ai.provider.name", "openai", "gen_ai.request.model", "gpt-x");

    private CollectSender() {}

    /** Takes the address and the sender's number. */
    public static void main(String[] args) throws InterruptedException {
        for (int trace = 0; trace < MOST; ) {
            try {
                send(args[0], Integer.parseInt(args[1]), trace);
                System.out.println(trace);
                trace++;
            } catch (IOException e) {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** Sends a trace; with an exception where it is not acknowledged as a whole. */
    static void send(String url, int sender, int trace) throws IOException, InterruptedException {
        int id = number(sender, trace);
        post(url, Otlp.of(id, 2, 1, "chat", CHAT).build());
        post(
                url,
                Otlp.of(id, 3, 1, "chat", CHAT).build(),
                lasting(9, Otlp.of(id, 1, 0, "agent", Map.of()).build()));
    }

    private static void post(String url, Span... spans) throws IOException, InterruptedException {
        HttpResponse<String> response = CLIENT.send(
                HttpRequest.newBuilder(URI.create(url + "/v1/traces"))
                        .timeout(CollectProcess.PATIENCE)
                        .header("Content-Type", "application/x-protobuf")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(
                                request(spans).toByteArray()))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IllegalStateException(response.statusCode() + " " + response.body());
        }
    }

    private static int number(int sender, int trace) {
        return sender * MOST + trace + 1;
    }

    static String id(int sender, int trace) {
        return String.format("%032x", number(sender, trace));
    }
}

package dev.rlm.runner.serve;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Function;

/**
 * Tracing gateway of a trainer on a free port of this machine, with a model behind it: what a function makes of a request, or the
 * one that the path names. Keeps logs, statuses and the last trace of each rollout. Thread-safe.
 */
final class GatewayDouble implements AutoCloseable {
    private static final String CHAT = "/chat/completions";

    private final HttpServer server;
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<JsonObject> chats = new CopyOnWriteArrayList<>();
    private final List<String> paths = new CopyOnWriteArrayList<>(); // of chats, as they came
    private final List<String> keys = new CopyOnWriteArrayList<>(); // Authorization of chats and logs
    private final List<JsonObject> logs = new CopyOnWriteArrayList<>();
    private final Map<String, JsonObject> traces = new ConcurrentHashMap<>(); // by rollout
    private volatile Function<JsonObject, JsonObject> model = request -> said("#### 12");
    private volatile Function<JsonObject, Integer> takesLog = log -> 200;
    private volatile String logsPath = "/logs";

    GatewayDouble(int port) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_024);
        server.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "gateway-double");
            thread.setDaemon(true);
            return thread;
        }));
        server.createContext("/", this::handle);
        server.start();
    }

    /** Serves until it is killed, on that port. */
    public static void main(String... arguments) throws IOException {
        GatewayDouble gateway = new GatewayDouble(Integer.parseInt(arguments[0]));
        System.out.println(gateway.url());
    }

    static JsonObject said(String text) {
        JsonObject message = new JsonObject();
        message.addProperty("role", "assistant");
        message.addProperty("content", text);
        return message;
    }

    /** Returns its address, as a trainer gives it. */
    String url() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    /** Sets what the model says: a message; or a refusal, with a member {@code refused} for its status. */
    GatewayDouble model(Function<JsonObject, JsonObject> says) {
        model = says;
        return this;
    }

    /** Sets the HTTP status that a log is answered with. */
    GatewayDouble takesLogs(Function<JsonObject, Integer> status) {
        takesLog = status;
        return this;
    }

    /** Sets where logs are taken. */
    GatewayDouble logsAt(String path) {
        logsPath = path;
        return this;
    }

    List<JsonObject> chats() {
        return chats;
    }

    List<String> paths() {
        return paths;
    }

    List<String> keys() {
        return keys;
    }

    /** Returns the logs of a rollout with a status, in the order in which they were taken. */
    List<JsonObject> logs(String rollout) {
        return logs.stream()
                .filter(log -> log.get("status") instanceof JsonObject)
                .filter(log -> hasTag(log, "rollout_id:" + rollout))
                .toList();
    }

    /** Returns the codes of its statuses. */
    List<Integer> codes(String rollout) {
        return logs(rollout).stream().map(GatewayDouble::code).toList();
    }

    static int code(JsonObject log) {
        return log.getAsJsonObject("status").get("code").getAsInt();
    }

    private static boolean hasTag(JsonObject log, String tag) {
        return log.getAsJsonArray("tags").asList().stream()
                .anyMatch(each -> each.getAsString().equals(tag));
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getRawPath();
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            if (path.endsWith(CHAT)) {
                chat(exchange, path, body);
            } else if (exchange.getRequestMethod().equals("POST") && path.equals(logsPath)) {
                log(exchange, JsonParser.parseString(body).getAsJsonObject());
            } else if (path.equals("/v1/status")) {
                status(exchange, parameter(exchange, "rollout_id="));
            } else if (path.equals("/logs") && exchange.getRequestMethod().equals("GET")) {
                entries(exchange, parameter(exchange, "tags="));
            } else if (path.equals("/v1/traces/pointwise")) {
                JsonObject answer = new JsonObject();
                JsonArray found = new JsonArray();
                JsonObject trace = traces.get(parameter(exchange, "tags=").substring("rollout_id:".length()));
                if (trace != null) {
                    found.add(trace);
                }
                answer.addProperty("project_id", "local");
                answer.addProperty("total_traces", found.size());
                answer.add("traces", found);
                answer(exchange, trace == null ? 404 : 200, answer.toString());
            } else {
                answer(exchange, 404, "{}");
            }
        }
    }

    private static String parameter(HttpExchange exchange, String name) {
        return Arrays.stream(exchange.getRequestURI().getRawQuery().split("&"))
                .filter(each -> each.startsWith(name))
                .map(each -> URLDecoder.decode(each.substring(name.length()), StandardCharsets.UTF_8))
                .findFirst()
                .orElseThrow();
    }

    private void log(HttpExchange exchange, JsonObject log) throws IOException {
        int status = takesLog.apply(log);
        if (status == 200) {
            keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            logs.add(log);
        }
        answer(exchange, status, "{}");
    }

    private void status(HttpExchange exchange, String rollout) throws IOException {
        List<JsonObject> known = logs(rollout);
        if (known.isEmpty()) {
            answer(exchange, 404, "{}");
            return;
        }
        int code = code(known.get(known.size() - 1));
        answer(
                exchange,
                200,
                "{\"rollout_id\":\"" + rollout + "\",\"status\":{\"code\":" + code + "},\"extras\":null}");
    }

    private void entries(HttpExchange exchange, String tag) throws IOException {
        JsonArray entries = new JsonArray();
        List<JsonObject> newestFirst = new ArrayList<>(logs);
        Collections.reverse(newestFirst);
        for (JsonObject log : newestFirst) {
            if (hasTag(log, tag)) {
                JsonObject entry = log.deepCopy();
                entry.addProperty("timestamp", "2026-01-01T00:00:00Z");
                entry.addProperty("severity", "INFO");
                if (entry.get("status") instanceof JsonObject && code(entry) == 101) {
                    entry.add("status", JsonNull.INSTANCE);
                }
                entries.add(entry);
            }
        }
        JsonObject answer = new JsonObject();
        answer.add("entries", entries);
        answer(exchange, 200, answer.toString());
    }

    private void chat(HttpExchange exchange, String path, String body) throws IOException {
        paths.add(path);
        keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        JsonObject request = JsonParser.parseString(body).getAsJsonObject();
        chats.add(request);
        List<String> segments = Arrays.stream(path.split("/"))
                .map(each -> URLDecoder.decode(each, StandardCharsets.UTF_8))
                .toList();
        int encoded = segments.indexOf("encoded_base_url");
        if (encoded >= 0) {
            forward(
                    exchange,
                    segments,
                    new String(Base64.getUrlDecoder().decode(segments.get(encoded + 1)), StandardCharsets.UTF_8),
                    body,
                    request);
            return;
        }
        JsonObject message = model.apply(request);
        if (message.has("refused")) {
            answer(exchange, message.get("refused").getAsInt(), "{\"error\":{\"message\":\"the model is broken\"}}");
            return;
        }
        trace(segments, request, message);
        JsonObject choice = new JsonObject();
        choice.addProperty("index", 0);
        choice.add("message", message);
        choice.addProperty("finish_reason", "stop");
        JsonArray choices = new JsonArray();
        choices.add(choice);
        JsonObject reply = new JsonObject();
        reply.addProperty("id", "chatcmpl-1");
        reply.add("choices", choices);
        answer(exchange, 200, reply.toString());
    }

    private void forward(HttpExchange exchange, List<String> segments, String base, String body, JsonObject request)
            throws IOException {
        HttpResponse<String> reply;
        try {
            reply = http.send(
                    HttpRequest.newBuilder(URI.create(base + CHAT))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        boolean stream = reply.headers().firstValue("content-type").orElse("").startsWith("text/event-stream");
        if (reply.statusCode() == 200) {
            trace(segments, request, stream ? together(reply.body()) : message(reply.body()));
        }
        exchange.getResponseHeaders().set("Content-Type", stream ? "text/event-stream" : "application/json");
        answer(exchange, reply.statusCode(), reply.body());
    }

    private static JsonObject message(String completion) {
        return JsonParser.parseString(completion)
                .getAsJsonObject()
                .getAsJsonArray("choices")
                .get(0)
                .getAsJsonObject()
                .getAsJsonObject("message");
    }

    /** Puts the words of a stream together; calls of tools are left out. */
    private static JsonObject together(String stream) {
        StringBuilder text = new StringBuilder();
        for (String line : stream.lines().toList()) {
            if (line.startsWith("data: {")) {
                for (JsonElement choice : JsonParser.parseString(line.substring(6))
                        .getAsJsonObject()
                        .getAsJsonArray("choices")) {
                    JsonElement content =
                            choice.getAsJsonObject().getAsJsonObject("delta").get("content");
                    text.append(content == null || content.isJsonNull() ? "" : content.getAsString());
                }
            }
        }
        return said(text.toString());
    }

    private void trace(List<String> segments, JsonObject request, JsonObject output) {
        JsonArray tags = new JsonArray();
        int first = segments.indexOf("rollout_id");
        for (int i = first; i >= 0 && i + 1 < segments.size() && i < first + 10; i += 2) {
            tags.add(segments.get(i) + ":" + segments.get(i + 1));
        }
        JsonObject input = new JsonObject();
        input.add("messages", request.get("messages"));
        input.add("tools", request.get("tools"));
        JsonObject trace = new JsonObject();
        trace.addProperty("id", "trace-" + chats.size());
        trace.addProperty("name", "chat");
        trace.add("tags", tags);
        trace.addProperty("timestamp", "2026-01-01T00:00:00Z");
        trace.add("input", input);
        trace.add("output", output);
        traces.put(segments.get(first + 1), trace);
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

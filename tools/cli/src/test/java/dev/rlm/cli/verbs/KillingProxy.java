package dev.rlm.cli.verbs;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Proxy before a rollout server ({@code /init}) and a gateway (all else), which does something at a chosen request and keeps what
 * was answered. A request whose server dies has its connection closed. Thread-safe.
 */
final class KillingProxy implements AutoCloseable {
    /** Requests of the protocol. */
    enum Kind {
        INIT,
        CHAT,
        LOG,
        STATUS,
        LOGS,
        TRACES
    }

    /** Moments of a request. */
    enum Moment {
        BEFORE,
        DURING,
        AFTER
    }

    /** An action at a request of a kind, after so many others of it. */
    record Plan(Kind kind, int others, Moment moment, Runnable action) {}

    private static final Pattern ROLLOUT = Pattern.compile("rollout_id(?:\"?: ?\"|[:=/]|%3A)([A-Za-z0-9-]+)");
    private static final Set<String> OF_THE_CONNECTION =
            Set.of("connection", "content-length", "expect", "host", "http2-settings", "transfer-encoding", "upgrade");
    private static final int RUNNING = 101;

    private final HttpServer server;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Collection<String> answeredCalls = ConcurrentHashMap.newKeySet(); // ids of replies
    private final Collection<String> begun =
            ConcurrentHashMap.newKeySet(); // rollouts whose /init was answered with 200
    private final Collection<String> open = ConcurrentHashMap.newKeySet(); // those of them whose end is not yet told
    private final Collection<String> unlogged = ConcurrentHashMap.newKeySet();
    private final Collection<String> broken =
            ConcurrentHashMap.newKeySet(); // rollouts with a request without an answer
    private volatile URI rolloutServer = URI.create("http://127.0.0.1:1");
    private volatile URI gateway = rolloutServer;
    private @Nullable Plan plan;

    KillingProxy() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_024);
        server.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "killing-proxy");
            thread.setDaemon(true);
            return thread;
        }));
        server.createContext("/", this::handle);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    void forwardTo(String rolloutServerUrl, String gatewayUrl) {
        rolloutServer = URI.create(rolloutServerUrl);
        gateway = URI.create(gatewayUrl);
    }

    synchronized void plan(Plan next) {
        plan = next;
    }

    Collection<String> answeredCalls() {
        return answeredCalls;
    }

    Collection<String> begun() {
        return begun;
    }

    Collection<String> open() {
        return open;
    }

    Collection<String> broken() {
        return broken;
    }

    /** Returns the rollouts whose logs, with the message of their end, were asked for in vain. */
    Collection<String> unlogged() {
        return unlogged;
    }

    private void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        Kind kind = kind(exchange);
        Plan due = due(kind);
        act(due, Moment.BEFORE);
        CompletableFuture<HttpResponse<byte[]>> reply =
                http.sendAsync(request(exchange, body, kind), HttpResponse.BodyHandlers.ofByteArray());
        act(due, Moment.DURING);
        String request = exchange.getRequestURI().getRawPath() + "?"
                + exchange.getRequestURI().getRawQuery() + " " + new String(body, StandardCharsets.UTF_8);
        try {
            HttpResponse<byte[]> response = reply.join();
            keep(kind, request, response);
            act(due, Moment.AFTER);
            answer(exchange, response);
        } catch (CompletionException e) {
            broken.add(rollout(request));
            if (kind == Kind.LOGS) {
                unlogged.add(rollout(request));
            }
            exchange.close();
        }
    }

    private static Kind kind(HttpExchange exchange) {
        String path = exchange.getRequestURI().getRawPath();
        if (path.endsWith("/init")) {
            return Kind.INIT;
        } else if (path.endsWith("/chat/completions")) {
            return Kind.CHAT;
        } else if (path.endsWith("/logs")) {
            return exchange.getRequestMethod().equals("POST") ? Kind.LOG : Kind.LOGS;
        }
        return path.endsWith("/status") ? Kind.STATUS : Kind.TRACES;
    }

    /** Returns the plan, once, to the request that it is for. */
    private synchronized @Nullable Plan due(Kind kind) {
        Plan next = plan;
        if (next == null || next.kind() != kind) {
            return null;
        }
        plan = next.others() == 0 ? null : new Plan(kind, next.others() - 1, next.moment(), next.action());
        return next.others() == 0 ? next : null;
    }

    private static void act(@Nullable Plan plan, Moment moment) {
        if (plan != null && plan.moment() == moment) {
            plan.action().run();
        }
    }

    private HttpRequest request(HttpExchange exchange, byte[] body, Kind kind) {
        URI to = kind == Kind.INIT ? rolloutServer : gateway;
        HttpRequest.Builder request = HttpRequest.newBuilder(to.resolve(exchange.getRequestURI()))
                .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        return request.build();
    }

    private static String rollout(String request) {
        Matcher id = ROLLOUT.matcher(request);
        return id.find() ? id.group(1) : "";
    }

    private void keep(Kind kind, String request, HttpResponse<byte[]> response) {
        if (response.statusCode() != 200) {
            return;
        }
        String rollout = rollout(request);
        if (kind == Kind.INIT) {
            begun.add(rollout);
        } else if (kind == Kind.CHAT) {
            Matcher id = Pattern.compile("\"id\": ?\"(call-\\d+)\"")
                    .matcher(new String(response.body(), StandardCharsets.UTF_8));
            if (id.find()) {
                answeredCalls.add(id.group(1));
            }
        } else if (kind == Kind.LOG) {
            keepStatus(rollout, JsonParser.parseString(request.substring(request.indexOf(' '))));
        }
    }

    private void keepStatus(String rollout, JsonElement log) {
        if (log.getAsJsonObject().get("status") instanceof JsonObject status) {
            if (status.get("code").getAsInt() == RUNNING) {
                open.add(rollout);
            } else {
                open.remove(rollout);
            }
        }
    }

    private static void answer(HttpExchange exchange, HttpResponse<byte[]> response) throws IOException {
        response.headers().map().forEach((name, values) -> {
            if (!OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                exchange.getResponseHeaders().put(name, values);
            }
        });
        exchange.sendResponseHeaders(response.statusCode(), response.body().length == 0 ? -1 : response.body().length);
        exchange.getResponseBody().write(response.body());
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

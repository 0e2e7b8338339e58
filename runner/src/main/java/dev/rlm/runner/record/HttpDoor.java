package dev.rlm.runner.record;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes lines over HTTP, from this machine and from who knows the token alone. A request is answered when its lines are
 * synced; those that wait at the same time share a sync.
 *
 * <p>How much memory requests can take together is bounded; one that is slower than a minute to come is broken off.
 */
final class HttpDoor implements AutoCloseable {
    static final String EVENTS = "/v1/events";
    static final String HEALTH = "/v1/health";

    private static final int THREADS = 64;
    private static final int SMALL_BODY = 1 << 20;
    private static final int LARGE_BODIES = 2;
    private static final int BACKLOG = 1_024;
    private static final String JSON = "application/json";
    private static final String JSON_LINES = "application/x-ndjson";
    private static final Set<String> HOSTS = Set.of("127.0.0.1", "localhost");

    private final HttpServer server;
    private final ExecutorService threads;
    private final Token token;
    private final Session session;
    private final Semaphore largeBodies = new Semaphore(LARGE_BODIES, true);

    private HttpDoor(HttpServer server, Token token, Session session) {
        this.server = server;
        this.token = token;
        this.session = session;
        AtomicInteger made = new AtomicInteger();
        threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "rlm-record-http-" + made.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        server.setExecutor(threads);
        server.createContext("/", this::handle);
    }

    /**
     * Listens on that port of the loopback address; on any free one where it is 0.
     *
     * @throws IOException if the port cannot be had
     */
    static HttpDoor open(int port, Token token, Session session) throws IOException {
        // Read once, when the first server is made. Without nodelay a kept connection answers 40 ms late.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxReqTime", "60");
        InetAddress loopback = InetAddress.getByAddress("127.0.0.1", new byte[] {127, 0, 0, 1});
        HttpServer server = HttpServer.create(new InetSocketAddress(loopback, port), BACKLOG);
        HttpDoor door = new HttpDoor(server, token, session);
        server.start();
        return door;
    }

    /** Where events go. */
    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + EVENTS;
    }

    private void handle(HttpExchange exchange) {
        try (exchange) {
            answer(exchange, response(exchange));
        } catch (IOException e) {
            log().debug("a request was broken off: {}", e.toString());
        } catch (RuntimeException e) {
            log().warn("a request failed: {}", e.toString());
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(HttpDoor.class);
    }

    private Response response(HttpExchange exchange) throws IOException {
        if (!isLocal(exchange.getRequestHeaders().getFirst("Host"))) {
            return Response.error(403, "the Host header must be 127.0.0.1 or localhost");
        }
        return switch (String.valueOf(exchange.getRequestURI().getPath())) {
            case EVENTS -> isAllowed(exchange, "POST") ? events(exchange) : notAllowed(exchange, "POST");
            case HEALTH -> isAllowed(exchange, "GET") ? health() : notAllowed(exchange, "GET");
            default -> Response.error(404, "there are POST " + EVENTS + " and GET " + HEALTH);
        };
    }

    /** A page in a browser may have got here by a name of its own. */
    private static boolean isLocal(@Nullable String host) {
        return host != null && HOSTS.contains(host.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT));
    }

    private static boolean isAllowed(HttpExchange exchange, String method) {
        return exchange.getRequestMethod().equals(method);
    }

    private static Response notAllowed(HttpExchange exchange, String method) {
        exchange.getResponseHeaders().set("Allow", method);
        return Response.error(405, "only " + method + " is allowed here");
    }

    private Response health() {
        return new Response(
                200, JSON, "{\"ok\":true,\"synced\":" + session.commits().areDurable() + "}\n");
    }

    private Response events(HttpExchange exchange) throws IOException {
        if (!token.isIn(exchange.getRequestHeaders().getFirst("Authorization"))) {
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
            return Response.error(401, "the header Authorization must be 'Bearer ' and the token");
        }
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        if (type == null
                || !Set.of(JSON, JSON_LINES)
                        .contains(type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))) {
            return Response.error(415, "the Content-Type must be " + JSON_LINES + " or " + JSON);
        }
        String length = exchange.getRequestHeaders().getFirst("Content-Length");
        if (length != null && Long.parseLong(length.strip()) > RawLine.MAX_LENGTH) {
            return tooLong();
        }
        byte[] head = exchange.getRequestBody().readNBytes(SMALL_BODY);
        return head.length < SMALL_BODY ? recorded(new ByteArrayInputStream(head)) : large(head, exchange);
    }

    /** All large bodies together would be more than there is memory: few at a time are read on. */
    private Response large(byte[] head, HttpExchange exchange) throws IOException {
        largeBodies.acquireUninterruptibly();
        try {
            byte[] rest = exchange.getRequestBody().readNBytes(RawLine.MAX_LENGTH - SMALL_BODY + 1);
            return rest.length > RawLine.MAX_LENGTH - SMALL_BODY
                    ? tooLong()
                    : recorded(new SequenceInputStream(new ByteArrayInputStream(head), new ByteArrayInputStream(rest)));
        } finally {
            largeBodies.release();
        }
    }

    private static Response tooLong() {
        return Response.error(413, "the body is longer than " + (RawLine.MAX_LENGTH >> 20) + " MiB");
    }

    private Response recorded(InputStream body) throws IOException {
        List<RawLine> lines = new ArrayList<>();
        LineReader reader = new LineReader(body);
        for (RawLine line = reader.next(); line != null; line = reader.next()) {
            lines.add(line);
        }
        if (lines.stream().allMatch(RawLine::isBlank)) {
            return Response.error(400, "the body is empty: expected events, one JSON object a line");
        }
        List<String> answers = session.recorder().record(lines, new Client("that this request has started"), false);
        return new Response(200, JSON_LINES, String.join("", answers));
    }

    private static void answer(HttpExchange exchange, Response response) throws IOException {
        byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", response.type());
        exchange.sendResponseHeaders(response.status(), body.length);
        exchange.getResponseBody().write(body);
    }

    /** Accepts nothing more, and lets the requests that are under way come to their end, for a second. */
    @Override
    public void close() {
        server.stop(1);
        threads.shutdown();
    }

    /** What a request is answered. */
    private record Response(int status, String type, String body) {
        static Response error(int status, String message) {
            return new Response(status, JSON, "{\"ok\":false,\"error\":" + JsonText.of(message) + "}\n");
        }
    }
}

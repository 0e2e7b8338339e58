package dev.rlm.console;

import dev.rlm.cli.Token;
import dev.rlm.json.Json;
import dev.rlm.server.http.Endpoint;
import dev.rlm.server.http.JsonServer;
import dev.rlm.server.http.RefusedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/** Serves the pages, and below {@code /api/} what they show. */
final class ConsoleServer implements AutoCloseable {
    private static final int THREADS = 24;
    private static final int MOST_QUERY = 4_096; // characters
    private static final int SMALL = 1_024; // bytes that are not worth packing

    private final StaticFiles pages = new StaticFiles();
    private final CommandRunner commands;
    private final JournalWatcher watcher;
    private final Map<String, Object> about;
    private final JsonServer server;
    private final AccessFilter access;

    /**
     * Listens at that port of this machine.
     *
     * @param about what pages are told of the program
     */
    ConsoleServer(int port, Token token, CommandRunner commands, JournalWatcher watcher, Map<String, Object> about) {
        this.commands = commands;
        this.watcher = watcher;
        this.about = about;
        this.server = new JsonServer(
                "rlm-view", THREADS, Endpoint.local(port, null), why -> Map.of("error", why), this::answer);
        this.access = new AccessFilter(token, server.port(), new AtomicReference<>());
    }

    /** Returns the link that opens the pages. */
    String link() {
        return access.link();
    }

    /** Returns a link that opens its pages once. */
    String linkForOnce() {
        return access.linkForOnce();
    }

    /** Returns its address, without a path and the token. */
    String url() {
        return access.url();
    }

    private void answer(Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        String elsewhere = access.open(request, response);
        if (elsewhere != null) {
            response.setStatus(303);
            response.getHeaders().put(HttpHeader.LOCATION, elsewhere);
            callback.succeeded();
            return;
        }
        List<String> path = segments(request);
        String first = path.isEmpty() ? "" : path.get(0);
        if (first.equals("api")) {
            api(path.subList(1, path.size()), request, response, callback);
        } else if (first.equals("static")) {
            String name = String.join("/", path.subList(1, path.size()));
            send(request, response, StaticFiles.type(name), pages.file(name), callback);
        } else if (StaticFiles.PATHS.contains(first)) {
            send(request, response, StaticFiles.type("index.html"), pages.file("index.html"), callback);
        } else {
            throw new RefusedException(404, "there is no page " + first);
        }
    }

    private static List<String> segments(Request request) throws RefusedException {
        String query = request.getHttpURI().getQuery();
        if (query != null && query.length() > MOST_QUERY) {
            throw new RefusedException(414, "the query is longer than " + MOST_QUERY + " characters");
        }
        try {
            return UrlEncoding.segments(request.getHttpURI().getPath());
        } catch (IllegalArgumentException e) {
            throw new RefusedException(400, "the address is not valid: " + e.getMessage());
        }
    }

    private void api(List<String> path, Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        Map<String, List<String>> query = new LinkedHashMap<>();
        for (Fields.Field field : Request.extractQueryParameters(request)) {
            query.put(field.getName(), field.getValues());
        }
        if (path.equals(List.of("changes"))) {
            watcher.listen(response, callback);
        } else if (path.equals(List.of("about"))) {
            send(request, response, "application/json", Json.bytes(about), callback);
        } else if (path.size() == 2 && path.get(0).equals("artifacts")) {
            byte[] file = ArtifactFiles.read(commands.journal(query), path.get(1));
            response.getHeaders()
                    .put("content-security-policy", "sandbox; default-src 'none'")
                    .put("content-disposition", "attachment");
            send(request, response, ArtifactFiles.type(file), file, callback);
        } else {
            send(request, response, "application/x-ndjson", commands.answer(path, query), callback);
        }
    }

    private static void send(Request request, Response response, String type, byte[] body, Callback callback) {
        byte[] sent = body;
        String accepted = request.getHeaders().get(HttpHeader.ACCEPT_ENCODING);
        if (body.length > SMALL && accepted != null && accepted.contains("gzip")) {
            sent = Bytes.gzip(body);
            response.getHeaders().put(HttpHeader.CONTENT_ENCODING, "gzip");
        }
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, sent.length);
        response.write(true, ByteBuffer.wrap(sent), callback);
    }

    @Override
    public void close() {
        watcher.close();
        server.close();
    }
}

package dev.rlm.sinks.otel.backend;

import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server that stands in for a vendor's: takes every request, at any address, and shows it. */
public final class VendorStub implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private volatile Function<Request, Integer> status = request -> 200;

    private VendorStub() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    public static VendorStub start() throws IOException {
        return new VendorStub();
    }

    /** Its address, without a path. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Chooses the status of each answer from now on. */
    public void answer(Function<Request, Integer> value) {
        status = value;
    }

    /** All requests, in the order in which they came. */
    public List<Request> requests() {
        return requests;
    }

    /** The requests to that address, with its query. */
    public List<Request> requests(String address) {
        return requests.stream().filter(each -> each.address().equals(address)).toList();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            Map<String, String> headers = new TreeMap<>();
            exchange.getRequestHeaders()
                    .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
            boolean gzip = "gzip".equals(headers.get("content-encoding"));
            try (InputStream body = exchange.getRequestBody();
                    InputStream plain = gzip ? new GZIPInputStream(body) : body) {
                Request request = new Request(exchange.getRequestURI().toString(), headers, plain.readAllBytes());
                requests.add(request);
                exchange.sendResponseHeaders(status.apply(request), -1);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    /**
     * One request.
     *
     * @param address path and query
     * @param headers by name in lower case
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    public record Request(String address, Map<String, String> headers, byte[] body) {
        /** Its spans, if it is an export of OTLP in protobuf. */
        public List<OtlpSpan> spans() {
            try {
                return OtlpSpan.all(ExportTraceServiceRequest.parseFrom(body));
            } catch (InvalidProtocolBufferException e) {
                throw new AssertionError("no protobuf at " + address, e);
            }
        }

        /** Its body, if that is JSON. */
        public JsonNode json() {
            return JSON.readTree(body);
        }
    }
}

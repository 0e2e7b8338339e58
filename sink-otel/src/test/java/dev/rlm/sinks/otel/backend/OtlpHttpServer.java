package dev.rlm.sinks.otel.backend;

import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.zip.GZIPInputStream;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** An http/protobuf server on a free loopback port that brings what it gets to an {@link OtlpInbox}. */
final class OtlpHttpServer {
    private static final String LANGFUSE = "/api/public/otel"; // where it takes OTLP

    private final OtlpInbox inbox;
    private final HttpServer server;

    /** Opens the door; each request runs on {@code executor}, which it may block. */
    OtlpHttpServer(OtlpInbox inbox, Executor executor, @Nullable OtlpTls tls) throws IOException {
        this.inbox = inbox;
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = tls == null ? HttpServer.create(address, 0) : secure(HttpsServer.create(address, 0), tls);
        server.setExecutor(executor);
        for (OtlpSignal signal : OtlpSignal.values()) {
            server.createContext(signal.httpPath(), exchange -> serve(signal, exchange));
            server.createContext(LANGFUSE + signal.httpPath(), exchange -> serve(signal, exchange));
        }
        server.start();
    }

    private static HttpServer secure(HttpsServer server, OtlpTls tls) throws IOException {
        server.setHttpsConfigurator(new HttpsConfigurator(tls.context()) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters wanted = getSSLContext().getDefaultSSLParameters();
                wanted.setNeedClientAuth(tls.client() != null);
                parameters.setSSLParameters(wanted);
            }
        });
        return server;
    }

    int port() {
        return server.getAddress().getPort();
    }

    void close() {
        server.stop(0);
    }

    private void serve(OtlpSignal signal, HttpExchange exchange) throws IOException {
        try (exchange) {
            OtlpAnswer answer = answer(signal, exchange);
            exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
            exchange.sendResponseHeaders(answer.httpStatus(), -1);
        }
    }

    private OtlpAnswer answer(OtlpSignal signal, HttpExchange exchange) throws IOException {
        Map<String, String> headers = headers(exchange);
        byte[] body = body(exchange, headers);
        try {
            return inbox.take(OtlpRequest.decode(signal, "http/protobuf", headers, body));
        } catch (InvalidProtocolBufferException | IllegalArgumentException | IllegalStateException malformed) {
            return OtlpAnswer.REJECT;
        } catch (InterruptedException closing) {
            return OtlpAnswer.UNAVAILABLE;
        }
    }

    private static Map<String, String> headers(HttpExchange exchange) {
        Map<String, String> headers = new TreeMap<>();
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
        return headers;
    }

    private static byte[] body(HttpExchange exchange, Map<String, String> headers) throws IOException {
        boolean gzip = "gzip".equals(headers.get("content-encoding"));
        try (InputStream body = exchange.getRequestBody();
                InputStream plain = gzip ? new GZIPInputStream(body) : body) {
            return plain.readAllBytes();
        }
    }
}

package dev.rlm.collector;

import dev.rlm.collector.otlp.ExportRequest;
import dev.rlm.collector.otlp.ExportResponse;
import dev.rlm.collector.otlp.MalformedException;
import dev.rlm.collector.otlp.Signal;
import dev.rlm.recorder.RecordRequests;
import dev.rlm.server.http.Access;
import dev.rlm.server.http.Endpoint;
import dev.rlm.server.http.JsonServer;
import dev.rlm.server.http.MemoryBudget;
import dev.rlm.server.http.RefusedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Server of OTLP, by HTTP and by gRPC over HTTP/2. */
final class OtlpServer implements AutoCloseable {
    private static final int THREADS = 128;
    private static final int MAX_STREAMS = 64; // of a connection
    private static final String HEALTH = "/v1/health";

    private final JsonServer server;
    private final Access access;
    private final Collector collector;
    private final Body body;
    private final @Nullable RecordRequests others;

    /**
     * Listens.
     *
     * @param others answers requests of HTTP that are none of OTLP; {@code null} for none
     * @throws dev.rlm.cli.UsageException if the port cannot be had
     */
    OtlpServer(Endpoint endpoint, @Nullable RecordRequests others, Access access, Collector collector, Body body) {
        this.others = others;
        this.access = access;
        this.collector = collector;
        this.body = body;
        server = new JsonServer(
                "rlm-collect",
                others == null ? THREADS : THREADS + RecordRequests.THREADS,
                endpoint,
                message -> Map.of("error", message),
                this::answer,
                http -> protocols(http, endpoint, others == null));
    }

    /** HTTP, and HTTP/2 for gRPC: without TLS a client says by its first bytes which it speaks, with TLS in its handshake. */
    private static List<ConnectionFactory> protocols(HttpConfiguration http, Endpoint endpoint, boolean grpc) {
        ConnectionFactory http1 = new HttpConnectionFactory(http);
        AbstractHTTP2ServerConnectionFactory http2 = endpoint.tls() == null
                ? new HTTP2CServerConnectionFactory(http)
                : new HTTP2ServerConnectionFactory(http);
        http2.setMaxConcurrentStreams(MAX_STREAMS);
        if (endpoint.tls() == null) {
            return List.of(http1, http2);
        }
        return grpc
                ? List.of(new ALPNServerConnectionFactory(http2.getProtocol(), http1.getProtocol()), http2, http1)
                : List.of(http1);
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.close();
    }

    /** Answers in the form of the request, also where it is refused. */
    private void answer(Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        if (others != null && isOther(request.getHttpURI().getPath())) {
            access.checkHost(request);
            if (others.answer(request, response, callback)) {
                return;
            }
        }
        OtlpReply reply = OtlpReply.to(request, response, callback);
        try (MemoryBudget.Share share = body.memory().share()) {
            serve(request, reply, share);
        } catch (RefusedException e) {
            reply.refuse(e);
        } catch (MalformedException e) {
            reply.refuse(new RefusedException(400, "this is no request of OTLP: " + e.getMessage()));
        } catch (IOException e) {
            if (!(e instanceof HttpException) && !(e.getCause() instanceof HttpException)) {
                throw e;
            }
            reply.refuse(new RefusedException(400, "the body is not valid"));
        }
    }

    private static boolean isOther(String path) {
        return !path.equals(HEALTH) && Signal.at(path).isEmpty();
    }

    private void serve(Request request, OtlpReply reply, MemoryBudget.Share share)
            throws IOException, MalformedException {
        access.checkHost(request);
        String path = request.getHttpURI().getPath();
        if (path.equals(HEALTH)) {
            reply.answer("{\"ok\":true}".getBytes(StandardCharsets.US_ASCII), "application/json");
            return;
        }
        Signal signal = Signal.at(path)
                .orElseThrow(
                        () -> new RefusedException(
                                404,
                                "there are POST /v1/traces, /v1/logs, /v1/metrics and /v1/events, and all but the last by gRPC"));
        if (!request.getMethod().equals("POST")) {
            throw RefusedException.allowing("POST");
        }
        access.job(request.getHeaders(), null);
        byte[] bytes = reply.message(body, request, share);
        ExportResponse answer = collector.take(
                signal,
                reply.isJson() ? ExportRequest.json(signal, bytes) : ExportRequest.protobuf(signal, bytes),
                share);
        reply.answer(answer);
    }
}

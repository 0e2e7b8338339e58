package dev.rlm.collector;

import dev.rlm.cli.http.Access;
import dev.rlm.cli.http.JsonServer;
import dev.rlm.cli.http.MemoryBudget;
import dev.rlm.cli.http.RefusedException;
import dev.rlm.collector.otlp.ExportRequest;
import dev.rlm.collector.otlp.ExportResponse;
import dev.rlm.collector.otlp.MalformedException;
import dev.rlm.collector.otlp.Signal;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Server of OTLP, by HTTP and by gRPC over HTTP/2. */
final class OtlpServer implements AutoCloseable {
    private static final int THREADS = 128;
    private static final int MAX_STREAMS = 64; // of a connection
    private static final String HEALTH = "/v1/health";

    private final JsonServer server;
    private final Access access;
    private final Collector collector;
    private final Body body;

    /**
     * Listens.
     *
     * @param port 0 for any free one
     * @param grpc whether it speaks HTTP/2 as well
     * @throws dev.rlm.cli.UsageException if the port cannot be had
     */
    OtlpServer(InetAddress host, int port, boolean grpc, Access access, Collector collector, Body body) {
        this.access = access;
        this.collector = collector;
        this.body = body;
        server = new JsonServer(
                "rlm-collect",
                THREADS,
                host,
                grpc ? "--grpc-port" : "--port",
                port,
                message -> Map.of("error", message),
                this::answer,
                http -> grpc
                        ? List.of(new HttpConnectionFactory(http), http2(http))
                        : List.of(new HttpConnectionFactory(http)));
    }

    private static ConnectionFactory http2(HttpConfiguration http) {
        HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(http);
        http2.setMaxConcurrentStreams(MAX_STREAMS);
        return http2;
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.close();
    }

    /** Answers in the form of the request, also where it is refused. */
    private void answer(Request request, Response response, Callback callback) throws IOException {
        Reply reply = Reply.to(request, response, callback);
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

    private void serve(Request request, Reply reply, MemoryBudget.Share share) throws IOException, MalformedException {
        access.checkHost(request);
        String path = request.getHttpURI().getPath();
        if (path.equals(HEALTH)) {
            reply.answer("{\"ok\":true}".getBytes(StandardCharsets.US_ASCII), "application/json");
            return;
        }
        Signal signal = Signal.at(path)
                .orElseThrow(() -> new RefusedException(
                        404, "there are POST /v1/traces, /v1/logs and /v1/metrics, and the same by gRPC"));
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

package dev.rlm.collector;

import dev.rlm.cli.Token;
import dev.rlm.cli.http.JsonServer;
import dev.rlm.collector.otlp.ExportRequest;
import dev.rlm.collector.otlp.ExportResponse;
import dev.rlm.collector.otlp.MalformedException;
import dev.rlm.collector.otlp.Signal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Server of OTLP, by HTTP and by gRPC over HTTP/2: Jetty, with bounds for all that a client may send. */
final class OtlpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OtlpServer.class);
    private static final int THREADS = 128;
    private static final int MAX_HEAD = 16 << 10;
    private static final int MAX_STREAMS = 64; // of a connection
    private static final Duration IDLE_TIME = Duration.ofSeconds(30);
    private static final Duration HEAD_TIME = Duration.ofSeconds(10);
    private static final String HEALTH = "/v1/health";

    private final JsonServer server;
    private final @Nullable Token token;
    private final boolean loopback;
    private final Collector collector;
    private final Body body;

    /**
     * Listens.
     *
     * @param port 0 for any free one
     * @param grpc whether it speaks HTTP/2 as well
     * @param token what requests must know; {@code null} for nothing
     * @throws IOException if the port cannot be had
     */
    OtlpServer(InetAddress host, int port, boolean grpc, @Nullable Token token, Collector collector, Body body)
            throws IOException {
        this.token = token;
        this.loopback = host.isLoopbackAddress();
        this.collector = collector;
        this.body = body;
        HttpConfiguration http = new HttpConfiguration();
        http.setSendDateHeader(false);
        http.setRequestHeaderSize(MAX_HEAD);
        server = new JsonServer("rlm-collect", THREADS, http, host, port);
        server.connector().setIdleTimeout(IDLE_TIME.toMillis());
        if (grpc) {
            HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(http);
            http2.setMaxConcurrentStreams(MAX_STREAMS);
            server.connector().addConnectionFactory(http2);
        }
        server.closeSilent(HEAD_TIME);
        server.start(new Requests(), new JsonErrors());
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.close();
    }

    /** Says what is wrong with a request that is no valid HTTP. */
    private static final class JsonErrors extends ErrorHandler {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            Object message = request.getAttribute(ERROR_MESSAGE);
            boolean coding = String.valueOf(message).startsWith("Bad Transfer-Encoding");
            Object said = Map.of("error", message == null ? "the request is not valid" : message.toString());
            JsonServer.answer(response, coding ? 501 : response.getStatus(), said, callback);
            return true;
        }
    }

    private final class Requests extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            Reply reply = Reply.to(request, response, callback);
            try (SharedMemory.Share share = body.memory().share()) {
                serve(request, reply, share);
            } catch (RefusedException e) {
                reply.refuse(e);
            } catch (MalformedException e) {
                reply.refuse(new RefusedException(400, "this is no request of OTLP: " + e.getMessage()));
            } catch (IOException e) {
                if (e instanceof HttpException || e.getCause() instanceof HttpException) {
                    reply.refuse(new RefusedException(400, "the body is not valid"));
                } else {
                    breakOff(request, e, callback);
                }
            }
            return true;
        }

        private void serve(Request request, Reply reply, SharedMemory.Share share)
                throws IOException, RefusedException, MalformedException {
            checkHost(request);
            String path = request.getHttpURI().getPath();
            if (path.equals(HEALTH)) {
                reply.answer("{\"ok\":true}".getBytes(java.nio.charset.StandardCharsets.US_ASCII), "application/json");
                return;
            }
            Signal signal = Signal.at(path)
                    .orElseThrow(() -> new RefusedException(
                            404, "there are POST /v1/traces, /v1/logs and /v1/metrics, and the same by gRPC"));
            if (!request.getMethod().equals("POST")) {
                throw new RefusedException(405, "only POST is allowed here");
            }
            if (token != null && !token.isIn(request.getHeaders().get(HttpHeader.AUTHORIZATION))) {
                throw new RefusedException(401, "the header Authorization must be 'Bearer ' and the token");
            }
            byte[] bytes = reply.message(body, request, share);
            ExportResponse answer = collector.take(
                    signal,
                    reply.isJson() ? ExportRequest.json(signal, bytes) : ExportRequest.protobuf(signal, bytes),
                    share);
            reply.answer(answer);
        }

        /** Without a token only this machine may send, by its own names: a page in a browser may have got here by another. */
        private void checkHost(Request request) throws RefusedException {
            String host = request.getHeaders().get(HttpHeader.HOST);
            String asked = host == null ? request.getHttpURI().getAuthority() : host;
            String origin = request.getHeaders().get(HttpHeader.ORIGIN);
            if (loopback && (!JsonServer.isLocal(asked) || (origin != null && !isHere(origin)))) {
                throw new RefusedException(403, "the Host header must be 127.0.0.1 or localhost");
            }
        }

        private static boolean isHere(String origin) {
            try {
                return JsonServer.isLocal(URI.create(origin).getHost());
            } catch (IllegalArgumentException e) {
                return false;
            }
        }

        /** Closes the connection: what was to be read did not come whole. */
        private static void breakOff(Request request, IOException cause, Callback callback) {
            if (!(cause.getCause() instanceof TimeoutException)) {
                LOG.debug("a request was broken off: {}", cause.toString());
            }
            request.getConnectionMetaData().getConnection().getEndPoint().close();
            callback.failed(cause);
        }
    }
}

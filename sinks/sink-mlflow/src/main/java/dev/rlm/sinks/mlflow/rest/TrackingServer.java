package dev.rlm.sinks.mlflow.rest;

import dev.rlm.json.Json;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.NetworkFailure;
import dev.rlm.sinks.delivery.http.HttpBody;
import dev.rlm.sinks.delivery.http.HttpTransport;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import okhttp3.ConnectionPool;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.jspecify.annotations.Nullable;

/**
 * A tracking server, asked by HTTP/1.1.
 *
 * <p><b>Threads.</b> Safe for use by several; each waits for its own answer, 40 seconds at the most, which is longer than the
 * server waits for its database. {@link #endBy} ends all waiting.
 *
 * <p><b>Errors.</b> Nothing is thrown: an {@link MlflowResponse} says what went wrong. A request is made again, at once, where it may
 * be and an idle connection was cut meanwhile: the server cuts those that were idle for 5 seconds.
 */
public final class TrackingServer {
    private static final Duration TIMEOUT = Duration.ofSeconds(40);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final int MAX_ANSWER = 1 << 24; // bytes
    private static final int MAX_IDLE = 5; // connections
    private static final int IDLE_SECONDS = 4; // less than the server waits
    private static final String TRUST = "MLFLOW_TRACKING_SERVER_CERT_PATH";
    private static final MediaType JSON = MediaType.get("application/json");
    private static final MediaType FILE = MediaType.get("application/octet-stream");

    private final TrackingAccess access;
    private final List<String> secrets;
    private final HttpTransport http;

    public TrackingServer(TrackingAccess access) {
        this.access = access;
        secrets = access.secrets();
        http = new HttpTransport(
                List.of(Protocol.HTTP_1_1),
                TIMEOUT,
                CONNECT_TIMEOUT,
                client -> access.secure(client)
                        .connectionPool(new ConnectionPool(MAX_IDLE, IDLE_SECONDS, TimeUnit.SECONDS)));
    }

    /** Returns where it is, for people: without user and password. */
    public String address() {
        return access.address();
    }

    /** Asks at a path such as {@code /api/2.0/mlflow/runs/get}. */
    public MlflowResponse get(String path, Map<String, String> query) {
        return get(path, query, latest());
    }

    /** Asks, and waits for the answer until {@link System#nanoTime} comes to {@code by}. */
    public MlflowResponse get(String path, Map<String, String> query, long by) {
        String parameters = new TreeMap<>(query)
                .entrySet().stream()
                        .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
                        .collect(Collectors.joining("&"));
        return send(parameters.isEmpty() ? path : path + "?" + parameters, new Request.Builder(), by);
    }

    /** Sends JSON; sent twice it does what it does once. */
    public MlflowResponse post(String path, Map<String, ?> json) {
        return post(path, RequestBody.create(Json.bytes(json), JSON), Map.of());
    }

    /** Sends JSON that must not be sent a second time without a look at what came of the first. */
    public MlflowResponse postOnce(String path, Map<String, ?> json) {
        return post(path, new Once(RequestBody.create(Json.bytes(json), JSON)), Map.of());
    }

    /** Sends a body with headers; sent twice it does what it does once. */
    public MlflowResponse post(String path, RequestBody body, Map<String, String> headers) {
        Request.Builder request = new Request.Builder().post(body);
        headers.forEach(request::header);
        return send(path, request, latest());
    }

    /** Sends a file, whose bytes are not copied. */
    public MlflowResponse put(String path, byte[] file) {
        return send(path, new Request.Builder().put(RequestBody.create(file, FILE)), latest());
    }

    private static long latest() {
        return System.nanoTime() + TIMEOUT.toNanos();
    }

    @SuppressWarnings("CatchThrowable") // such as of a header that cannot be sent
    private MlflowResponse send(String path, Request.Builder request, long by) {
        if (isEnded() || System.nanoTime() - by >= 0) {
            return MlflowResponse.none(isEnded() ? Failure.closed() : Failure.timeout());
        }
        String authorization = access.authorization();
        try {
            request.url(access.address() + path).header("User-Agent", "rlm");
            if (authorization != null) {
                request.header("Authorization", authorization);
            }
            try (Response response = http.ask(request.build(), by)) {
                return MlflowResponse.of(response, HttpBody.read(response, MAX_ANSWER), secrets);
            }
        } catch (IOException e) {
            return MlflowResponse.none(isEnded() ? Failure.unanswered() : NetworkFailure.of(e, TRUST, ""));
        } catch (Throwable e) {
            return MlflowResponse.none(Failure.of(e));
        }
    }

    /** Ends all requests under way, and all that follow, when {@link System#nanoTime} comes to {@code by}. */
    public void endBy(long by) {
        http.endBy(by);
    }

    /** Returns whether its end has come. */
    public boolean isEnded() {
        return http.isEnded();
    }

    /** Lets go of connections. */
    public void close() {
        http.close();
    }

    /** A body that is not sent again where a connection was cut. */
    private static final class Once extends RequestBody {
        private final RequestBody body;

        Once(RequestBody body) {
            this.body = body;
        }

        @Override
        public @Nullable MediaType contentType() {
            return body.contentType();
        }

        @Override
        public long contentLength() throws IOException {
            return body.contentLength();
        }

        @Override
        public boolean isOneShot() {
            return true;
        }

        @Override
        public void writeTo(BufferedSink sink) throws IOException {
            body.writeTo(sink);
        }
    }
}

package dev.rlm.sinks.otel.otlp;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.delivery.NetworkFailure;
import dev.rlm.sinks.delivery.ServerText;
import dev.rlm.sinks.delivery.http.AnswerReader;
import dev.rlm.sinks.delivery.http.HttpTransport;
import io.opentelemetry.api.impl.InstrumentationUtil;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.Compressor;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.net.ProxySelector;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509TrustManager;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Sends one signal's requests to one back end by one of OTLP's two protocols, and says what came of each: a subclass knows how a
 * message becomes a request, and what an answer means. A request ends within the time-out, whatever the server does. It does not
 * try again; who sends does. Safe for use by several threads.
 */
public abstract class OtlpConnection implements AnswerReader {
    /** Most bytes of an answer that are read: OTLP's own are of a few bytes. */
    static final int MAX_ANSWER = 64 << 10;

    private static final MediaType JSON = MediaType.get("application/json");

    /** A request with one element in which there is nothing. MLflow refuses one without any. */
    private static final byte[] NOTHING = {0x0a, 0x00};

    /** Its children are as little sampled as it is. */
    private static final Context NOT_SAMPLED = Context.root()
            .with(Span.wrap(SpanContext.create(
                    "00000000000000000000000000000001",
                    "0000000000000001",
                    TraceFlags.getDefault(),
                    TraceState.getDefault())));

    private final HttpUrl url;
    private final @Nullable Compressor compressor;
    private final Supplier<Map<String, List<String>>> headers;
    private final UnaryOperator<String> variables;
    private final HttpTransport http;
    private volatile boolean understood; // whether there was ever an answer in the protocol

    /** @param variables puts the names under which people set variables into a message */
    OtlpConnection(
            URI address,
            @Nullable Compressor compressor,
            Supplier<Map<String, List<String>>> headers,
            UnaryOperator<String> variables,
            HttpTransport http) {
        this.url = HttpUrl.get(address.toString());
        this.compressor = compressor;
        this.headers = headers;
        this.variables = variables;
        this.http = http;
    }

    static HttpTransport transport(
            List<Protocol> protocols,
            Duration timeout,
            Duration connectTimeout,
            @Nullable SSLContext ssl,
            @Nullable X509TrustManager trust,
            @Nullable ProxySelector proxy) {
        return new HttpTransport(protocols, timeout, connectTimeout, client -> {
            if (ssl != null && trust != null) {
                client.sslSocketFactory(ssl.getSocketFactory(), trust);
            }
            return proxy == null ? client : client.proxySelector(proxy);
        });
    }

    /**
     * Returns whether it carries that signal: by the signal's own address, or by the path that OTLP gives the signal.
     */
    boolean carries(String signal, @Nullable String endpoint) {
        String path = url.encodedPath();
        String service = signal.equals("traces") ? "trace" : signal;
        return path.endsWith("/v1/" + signal)
                || path.contains("collector." + service + ".v1.") // gRPC's
                || (endpoint != null && url.equals(HttpUrl.parse(endpoint)));
    }

    /** Sends a message and waits for the answer, which is then there; empty where everything was taken. */
    @SuppressWarnings("CatchThrowable") // whatever happens
    public CompletableFuture<Optional<Failure>> send(Message message) {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        try {
            Map<String, List<String>> sent = headers.get();
            Request request = request(message, sent);
            unseen(() -> answer.complete(http.call(request, this).map(failure -> told(failure, sent))));
        } catch (Throwable e) {
            answer.complete(Optional.of(Failure.of(e))); // such as for a header that cannot be sent
        }
        return answer;
    }

    /** Posts JSON to another address of the same back end, with the same headers, and waits for the answer; empty if taken. */
    @SuppressWarnings("CatchThrowable") // whatever happens
    public CompletableFuture<Optional<Failure>> postJson(URI address, String json) {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        try {
            Map<String, List<String>> sent = headers.get();
            Request.Builder request =
                    new Request.Builder().url(HttpUrl.get(address.toString())).post(RequestBody.create(json, JSON));
            sent.forEach((name, values) -> values.forEach(value -> request.addHeader(name, value)));
            unseen(() -> answer.complete(
                    http.call(request.build(), HttpStatus.OF_JSON).map(failure -> told(failure, sent))));
        } catch (Throwable e) {
            answer.complete(Optional.of(Failure.of(e)));
        }
        return answer;
    }

    /** An agent in this process is not to make spans of how spans are sent; an older one has to be told in the other way. */
    private static void unseen(Runnable sending) {
        try (Scope scope = NOT_SAMPLED.makeCurrent()) {
            InstrumentationUtil.suppressInstrumentation(sending);
        }
    }

    private Request request(Message message, Map<String, List<String>> sent) throws IOException {
        Buffer content = new Buffer();
        try (OutputStream plain = content.outputStream();
                OutputStream out = compressor == null ? plain : compressor.compress(plain)) {
            message.writeTo(out);
        }
        String encoding = compressor == null ? null : compressor.getEncoding();
        Request.Builder request = request(content, encoding).url(url);
        sent.forEach((name, values) -> values.forEach(value -> request.addHeader(name, value)));
        return request.build();
    }

    /**
     * Asks by a request with one empty element whether one would be taken now; empty if so. MLflow refuses a request without any
     * element; Jaeger, Tempo, MLflow and Prometheus answer this one as they do spans, and keep nothing. Does not wait for the answer.
     */
    public CompletableFuture<Optional<Failure>> probe() {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        Thread asking =
                new Thread(() -> answer.complete(send(out -> out.write(NOTHING)).join()), "rlm-otlp-probe");
        asking.setDaemon(true);
        asking.start();
        return answer;
    }

    /** Gives up what is under way, and lets go of connections and threads. */
    CompletableResultCode shutdown() {
        http.close();
        return CompletableResultCode.ofSuccess();
    }

    private Failure told(Failure failure, Map<String, List<String>> sent) {
        return failure.said(ServerText.line(failure.said(), sent)).detail(variables.apply(failure.detail()));
    }

    // ---- the protocol

    /** The request for a message, as the compressor, if any, has left it. */
    abstract Request.Builder request(Buffer message, @Nullable String encoding);

    /** Returns what the answer means; {@code null} where everything was taken. */
    abstract @Nullable Failure understand(Response response) throws IOException;

    /** Returns what it means that the network or the server's way to speak failed. */
    abstract Failure misunderstood(IOException error);

    /** Returns a hint, added to the failure's text, for a server that cuts connections and has never answered. */
    abstract String whoElseCuts();

    @Override
    public final @Nullable Failure read(Response response) {
        try {
            Failure failure = understand(response);
            understood = true;
            return failure;
        } catch (IOException e) {
            return misunderstood(e);
        }
    }

    @Override
    public final Failure failure(IOException error) {
        Failure failure = misunderstood(error);
        boolean guess = !understood && failure.reason().equals(NetworkFailure.RESET);
        return guess ? failure.detail(failure.detail() + whoElseCuts()) : failure;
    }

    /** Returns the failure of an endpoint that speaks something else than OTLP. */
    static Failure notOtlp(String instead) {
        return Failure.of("export_not_otlp", "not an OTLP endpoint: it answers with " + instead, Remedy.NONE);
    }

    /** Returns what the error means on the way to the server, or there. */
    static Failure network(IOException error) {
        return error instanceof ProtocolException
                ? notOtlp("what is no HTTP")
                : NetworkFailure.of(error, "OTEL_EXPORTER_OTLP_CERTIFICATE", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE");
    }

    /** Message of OTLP in protobuf. */
    @FunctionalInterface
    public interface Message {
        void writeTo(OutputStream out) throws IOException;
    }
}

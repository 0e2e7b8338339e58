package dev.rlm.sinks.otel.otlp;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.ServerText;
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
import io.opentelemetry.sdk.common.export.GrpcSenderConfig;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import io.opentelemetry.sdk.common.export.ProxyOptions;
import java.io.IOException;
import java.io.OutputStream;
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
import okhttp3.Request;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Sends one signal's requests to one back end and says what came of each. A request ends within the time-out, whatever
 * the server does. It does not try again; who sends does. Safe for use by several threads.
 */
public final class OtlpConnection {
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
    private final Dialect dialect;
    private final @Nullable Compressor compressor;
    private final Supplier<Map<String, List<String>>> headers;
    private final UnaryOperator<String> variables;
    private final HttpTransport http;

    /** Makes the one that an exporter of OTLP over HTTP is configured for. */
    OtlpConnection(HttpSenderConfig config, UnaryOperator<String> variables) {
        ProxyOptions proxy = config.getProxyOptions();
        url = HttpUrl.get(config.getEndpoint().toString());
        dialect = new HttpDialect(MediaType.get(config.getContentType()));
        compressor = config.getCompressor();
        headers = config.getHeadersSupplier();
        this.variables = variables;
        http = transport(
                config.getTimeout(),
                config.getConnectTimeout(),
                config.getSslContext(),
                config.getTrustManager(),
                proxy == null ? null : proxy.getProxySelector());
    }

    /** Makes the one that an exporter of OTLP over gRPC is configured for. */
    OtlpConnection(GrpcSenderConfig config, UnaryOperator<String> variables) {
        URI address = config.getEndpoint().resolve("/" + config.getFullMethodName());
        url = HttpUrl.get(address.toString());
        dialect = new GrpcDialect();
        compressor = config.getCompressor();
        headers = config.getHeadersSupplier();
        this.variables = variables;
        http = transport(
                config.getTimeout(),
                config.getConnectTimeout(),
                config.getSslContext(),
                config.getTrustManager(),
                null);
    }

    private HttpTransport transport(
            Duration timeout,
            Duration connectTimeout,
            @Nullable SSLContext ssl,
            @Nullable X509TrustManager trust,
            @Nullable ProxySelector proxy) {
        return new HttpTransport(dialect.protocols(url.isHttps()), timeout, connectTimeout, client -> {
            if (ssl != null && trust != null) {
                client.sslSocketFactory(ssl.getSocketFactory(), trust);
            }
            return proxy == null ? client : client.proxySelector(proxy);
        });
    }

    /** Whether it is that signal's: by the address that the signal alone has, or by the path that OTLP gives it. */
    boolean carries(String signal, @Nullable String endpoint) {
        String path = url.encodedPath();
        String service = signal.equals("traces") ? "trace" : signal;
        return path.endsWith("/v1/" + signal)
                || path.contains("collector." + service + ".v1.") // gRPC's
                || (endpoint != null && url.equals(HttpUrl.parse(endpoint)));
    }

    /** Sends a message, which is written before this returns; empty where everything was taken. There is always an answer. */
    @SuppressWarnings({"CatchThrowable", "FutureReturnValueIgnored"}) // whatever happens
    public CompletableFuture<Optional<Failure>> send(Message message) {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        try {
            Map<String, List<String>> sent = headers.get();
            Request request = request(message, sent);
            unseen(() -> http.send(request, dialect)
                    .thenAccept(failure -> answer.complete(failure.map(cause -> told(cause, sent)))));
        } catch (Throwable e) {
            answer.complete(Optional.of(Failure.of(e))); // such as for a header that cannot be sent
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
        Request.Builder request = dialect.request(content, encoding).url(url);
        sent.forEach((name, values) -> values.forEach(value -> request.addHeader(name, value)));
        return request.build();
    }

    /** Asks by a request that holds nothing whether one would be taken now; empty if so. */
    public CompletableFuture<Optional<Failure>> probe() {
        return send(out -> out.write(NOTHING));
    }

    /** Gives up what is under way, and lets go of connections and threads. */
    CompletableResultCode shutdown() {
        http.close();
        return CompletableResultCode.ofSuccess();
    }

    private Failure told(Failure failure, Map<String, List<String>> sent) {
        return failure.said(ServerText.line(failure.said(), sent)).detail(variables.apply(failure.detail()));
    }

    /** Message of OTLP in protobuf. */
    @FunctionalInterface
    public interface Message {
        void writeTo(OutputStream out) throws IOException;
    }
}

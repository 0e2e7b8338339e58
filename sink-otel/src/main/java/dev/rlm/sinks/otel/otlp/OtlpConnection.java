package dev.rlm.sinks.otel.otlp;

import dev.rlm.sinks.delivery.Failure;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.Response;
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

    private final Target target;
    private final UnaryOperator<String> variables;
    private final HttpTransport http;
    private final AnswerReader answers = new Answers();

    OtlpConnection(Target target, UnaryOperator<String> variables) {
        this.target = target;
        this.variables = variables;
        http = new HttpTransport(
                target.dialect().protocols(target.url().isHttps()),
                target.timeout(),
                target.connectTimeout(),
                target::secure);
    }

    /** Whether it is that signal's: by the address that the signal alone has, or by the path that OTLP gives it. */
    boolean carries(String signal, @Nullable String endpoint) {
        String path = target.url().encodedPath();
        String service = signal.equals("traces") ? "trace" : signal;
        return path.endsWith("/v1/" + signal)
                || path.contains("collector." + service + ".v1.") // gRPC's
                || (endpoint != null && target.url().equals(HttpUrl.parse(endpoint)));
    }

    /** Sends a message whose parts stand one behind the other; empty where everything was taken. There is always an answer. */
    @SuppressWarnings({"CatchThrowable", "FutureReturnValueIgnored"}) // whatever happens
    public CompletableFuture<Optional<Failure>> send(List<byte[]> message) {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        try {
            Map<String, List<String>> headers = target.headers().get();
            Request request = request(message, headers);
            unseen(() -> http.send(request, answers)
                    .thenAccept(failure -> answer.complete(failure.map(cause -> told(cause, headers)))));
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

    private Request request(List<byte[]> message, Map<String, List<String>> headers) throws IOException {
        Buffer content = new Buffer();
        Compressor compressor = target.compressor();
        try (OutputStream plain = content.outputStream();
                OutputStream out = compressor == null ? plain : compressor.compress(plain)) {
            for (byte[] part : message) {
                out.write(part);
            }
        }
        String encoding = compressor == null ? null : compressor.getEncoding();
        Request.Builder request = target.dialect().request(content, encoding).url(target.url());
        headers.forEach((name, values) -> values.forEach(value -> request.addHeader(name, value)));
        return request.build();
    }

    /** Asks by a request that holds nothing whether one would be taken now; empty if so. */
    public CompletableFuture<Optional<Failure>> probe() {
        return send(List.of(NOTHING));
    }

    /** Gives up what is under way, and lets go of connections and threads. */
    CompletableResultCode shutdown() {
        http.close();
        return CompletableResultCode.ofSuccess();
    }

    private Failure told(Failure failure, Map<String, List<String>> headers) {
        return failure.said(ServerText.line(failure.said(), headers)).detail(variables.apply(failure.detail()));
    }

    /** Reads answers as the dialect does, and guesses where nobody has ever spoken it. */
    private final class Answers implements AnswerReader {
        private volatile boolean understood; // whether there was ever an answer in the protocol

        @Override
        public @Nullable Failure read(Response response) {
            try {
                Failure failure = target.dialect().read(response);
                understood = true;
                return failure;
            } catch (IOException e) {
                return target.dialect().failure(e);
            }
        }

        @Override
        public Failure failure(IOException error) {
            Failure failure = target.dialect().failure(error);
            boolean guess = !understood && failure.reason().equals(NetworkFailure.RESET);
            return guess ? failure.detail(failure.detail() + target.dialect().whoElseCuts()) : failure;
        }
    }
}

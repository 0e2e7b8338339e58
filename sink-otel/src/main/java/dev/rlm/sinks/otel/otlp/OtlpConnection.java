package dev.rlm.sinks.otel.otlp;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.NetworkFailure;
import dev.rlm.sinks.delivery.ServerText;
import io.opentelemetry.api.impl.InstrumentationUtil;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.Compressor;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Sends one signal's requests to one back end and says what came of each. A request ends within the time-out, whatever
 * the server does. It does not try again; who sends does. Safe for use by several threads.
 */
public final class OtlpConnection {
    private static final int MAX_THREADS = 16;
    private static final long IDLE_SECONDS = 10;
    private static final AtomicInteger THREADS = new AtomicInteger();

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
    private final OkHttpClient client;
    private volatile boolean closed;
    private volatile boolean understood; // whether there was ever an answer in the protocol

    OtlpConnection(Target target, UnaryOperator<String> variables) {
        this.target = target;
        this.variables = variables;
        boolean tls = target.url().isHttps();
        OkHttpClient.Builder builder = new OkHttpClient.Builder()
                .dispatcher(new Dispatcher(threads()))
                .connectionPool(new ConnectionPool(1, IDLE_SECONDS * 6, TimeUnit.SECONDS))
                .protocols(target.dialect().protocols(tls))
                .followRedirects(false) // a redirected POST becomes a GET, and its page looks like success
                .followSslRedirects(false)
                .callTimeout(bounded(target.timeout()))
                .connectTimeout(bounded(target.connectTimeout()))
                .readTimeout(Duration.ZERO) // the time-out of the whole request holds
                .writeTimeout(Duration.ZERO)
                .socketFactory(new PromptSockets(target.dialect().mayGather()));
        if (target.sslContext() != null && target.trustManager() != null) {
            builder.sslSocketFactory(target.sslContext().getSocketFactory(), target.trustManager());
        }
        client = (target.proxy() == null ? builder : builder.proxySelector(target.proxy())).build();
    }

    /** OkHttp counts in milliseconds that must fit into an {@code int}; zero is for ever. */
    private static Duration bounded(Duration time) {
        return Duration.ofMillis(Math.max(1, Math.min(time.toMillis(), Integer.MAX_VALUE)));
    }

    private static ThreadPoolExecutor threads() {
        return new ThreadPoolExecutor(
                0, MAX_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, "rlm-otlp-" + THREADS.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** Whether it is that signal's: by the address that the signal alone has, or by the path that OTLP gives it. */
    boolean carries(String signal, @Nullable String endpoint) {
        String path = target.url().encodedPath();
        String service = signal.equals("traces") ? "trace" : signal;
        return path.endsWith("/v1/" + signal)
                || path.contains("collector." + service + ".v1.") // gRPC's
                || (endpoint != null && target.url().equals(HttpUrl.parse(endpoint)));
    }

    /** Sends a message; the answer, {@code null} where everything was taken, comes once and on any thread. */
    @SuppressWarnings("CatchThrowable") // whatever happens, there is an answer
    void send(MessageWriter message, Consumer<@Nullable Failure> answer) {
        try {
            Map<String, List<String>> headers = target.headers().get();
            Call call = client.newCall(request(message, headers));
            unseen(() -> call.enqueue(new Answer(headers, answer)));
        } catch (Throwable e) {
            answer.accept(Failure.of(e)); // such as for a header that cannot be sent
        }
    }

    /** An agent in this process is not to make spans of how spans are sent; an older one has to be told in the other way. */
    private static void unseen(Runnable sending) {
        try (Scope scope = NOT_SAMPLED.makeCurrent()) {
            InstrumentationUtil.suppressInstrumentation(sending);
        }
    }

    private Request request(MessageWriter message, Map<String, List<String>> headers) throws IOException {
        Buffer content = new Buffer();
        Compressor compressor = target.compressor();
        try (OutputStream plain = content.outputStream();
                OutputStream out = compressor == null ? plain : compressor.compress(plain)) {
            message.writeMessage(out);
        }
        String encoding = compressor == null ? null : compressor.getEncoding();
        Request.Builder request = target.dialect().request(content, encoding).url(target.url());
        headers.forEach((name, values) -> values.forEach(value -> request.addHeader(name, value)));
        return request.build();
    }

    /** Asks by a request that holds nothing whether one would be taken now; empty if so. */
    public CompletableFuture<Optional<Failure>> probe() {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        send(new Nothing(), failure -> answer.complete(Optional.ofNullable(failure)));
        return answer;
    }

    /** Gives up what is under way, and lets go of connections and threads. */
    CompletableResultCode shutdown() {
        closed = true;
        client.dispatcher().cancelAll();
        client.connectionPool().evictAll();
        client.dispatcher().executorService().shutdown();
        return CompletableResultCode.ofSuccess();
    }

    /** Makes of what comes back a {@link Failure} or none. */
    private final class Answer implements Callback {
        private final Map<String, List<String>> headers;
        private final Consumer<@Nullable Failure> receiver;

        Answer(Map<String, List<String>> headers, Consumer<@Nullable Failure> receiver) {
            this.headers = headers;
            this.receiver = receiver;
        }

        @Override
        @SuppressWarnings("CatchThrowable") // whatever happens, there is an answer
        public void onResponse(Call call, Response response) {
            Failure failure;
            try (response) {
                failure = target.dialect().read(response);
                understood = true;
            } catch (IOException e) {
                failure = target.dialect().failure(e);
            } catch (Throwable e) {
                failure = Failure.of(e);
            }
            answer(failure);
        }

        @Override
        public void onFailure(Call call, IOException error) {
            Failure failure = target.dialect().failure(error);
            boolean guess = !understood && failure.reason().equals(NetworkFailure.RESET);
            answer(guess ? failure.detail(failure.detail() + target.dialect().whoElseCuts()) : failure);
        }

        private Failure told(Failure failure) {
            return failure.said(ServerText.line(failure.said(), headers)).detail(variables.apply(failure.detail()));
        }

        private void answer(@Nullable Failure failure) {
            if (closed || (failure != null && !failure.isPartial())) {
                // The call's connection, which is idle now, may be what is wrong: HTTP/2 would go on with it.
                client.connectionPool().evictAll();
            }
            if (failure == null) {
                receiver.accept(null);
            } else {
                receiver.accept(closed ? Failure.unanswered() : told(failure));
            }
        }
    }

    private static final class Nothing implements MessageWriter {
        @Override
        public void writeMessage(OutputStream out) throws IOException {
            out.write(NOTHING);
        }

        @Override
        public int getContentLength() {
            return NOTHING.length;
        }
    }
}

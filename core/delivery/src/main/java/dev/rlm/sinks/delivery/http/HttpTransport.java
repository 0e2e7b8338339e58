package dev.rlm.sinks.delivery.http;

import dev.rlm.sinks.delivery.Failure;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * HTTP client of one back end. A request ends within the time-out, whatever the server does, and redirects are not followed.
 * It tries again only where a connection that was idle turns out to be cut; all else is for who sends. Safe for use by several
 * threads; its own, for requests that no caller waits for, are daemons, and end when nothing is sent.
 */
public final class HttpTransport implements AutoCloseable {
    private static final int MAX_IDLE = 5; // connections
    private static final long IDLE_SECONDS = 10;
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final Executor THREADS = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                Thread thread = new Thread(task, "rlm-http-" + COUNT.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            });
    private volatile OkHttpClient client; // replaced together with its connections
    private volatile @Nullable Long endBy;

    /** Makes the client of a back end that speaks HTTP/1.1, with a time-out of a whole request. */
    public HttpTransport(Duration timeout) {
        this(List.of(Protocol.HTTP_1_1), timeout, timeout, builder -> builder);
    }

    /**
     * Makes the client of a back end.
     *
     * @param timeout of a whole request, from the connection to the answer's last byte
     * @param more adds certificates or a proxy
     */
    public HttpTransport(
            List<Protocol> protocols,
            Duration timeout,
            Duration connectTimeout,
            UnaryOperator<OkHttpClient.Builder> more) {
        boolean gathering = protocols.equals(List.of(Protocol.HTTP_1_1)); // HTTP/2 waits for receipts before it flushes
        OkHttpClient.Builder builder = new OkHttpClient.Builder()
                .connectionPool(connections())
                .protocols(protocols)
                .followRedirects(false) // a redirected POST becomes a GET, and its page looks like success
                .followSslRedirects(false)
                .callTimeout(bounded(timeout))
                .connectTimeout(bounded(connectTimeout))
                .readTimeout(Duration.ZERO) // the time-out of the whole request holds
                .writeTimeout(Duration.ZERO)
                .socketFactory(new PromptSockets(gathering));
        client = more.apply(builder).build();
    }

    /** OkHttp counts in milliseconds that must fit into an {@code int}; zero is for ever. */
    private static Duration bounded(Duration time) {
        return Duration.ofMillis(Math.max(1, Math.min(time.toMillis(), Integer.MAX_VALUE)));
    }

    private static ConnectionPool connections() {
        return new ConnectionPool(MAX_IDLE, IDLE_SECONDS * 6, TimeUnit.SECONDS);
    }

    /** Makes the request; the failure, or none where everything was taken, comes on another thread. */
    public CompletableFuture<Optional<Failure>> send(Request request, AnswerReader reader) {
        return CompletableFuture.supplyAsync(() -> call(request, reader), THREADS);
    }

    /** Makes the request, and waits for the answer. Returns the failure, or none where everything was taken. */
    @SuppressWarnings("CatchThrowable") // whatever happens, there is an answer
    public Optional<Failure> call(Request request, AnswerReader reader) {
        OkHttpClient used = client;
        Failure failure;
        try (Response response = used.newCall(request).execute()) {
            failure = reader.read(response);
        } catch (IOException e) {
            failure = reader.failure(e);
        } catch (Throwable e) {
            failure = Failure.of(e);
        }
        if (used != client || isEnded() || (failure != null && !failure.isPartial())) {
            leaveConnections(used);
        }
        return Optional.ofNullable(failure == null || !isEnded() ? failure : Failure.unanswered());
    }

    /** One of them may be what is wrong. HTTP/2 would go on with it, as long as other requests are under way there. */
    private synchronized void leaveConnections(OkHttpClient used) {
        if (used == client) {
            client = used.newBuilder().connectionPool(connections()).build();
        }
        used.connectionPool().evictAll();
    }

    /** Makes the request on the calling thread; reading the answer ends with {@code by}, in terms of {@link System#nanoTime}. */
    public Response ask(Request request, long by) throws IOException {
        Call call = client.newCall(request);
        Long end = endBy;
        long latest = end == null || by - end < 0 ? by : end;
        call.timeout().timeout(Math.max(1, latest - System.nanoTime()), TimeUnit.NANOSECONDS);
        return call.execute();
    }

    /** Ends all requests under way when {@link System#nanoTime} comes to {@code by}. */
    public void endBy(long by) {
        endBy = by;
        long nanos = Math.max(0, by - System.nanoTime());
        CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(this::cut);
    }

    private void cut() {
        if (isEnded()) {
            client.dispatcher().cancelAll();
        }
    }

    /** Returns whether its end has come. */
    public boolean isEnded() {
        Long by = endBy;
        return by != null && System.nanoTime() - by >= 0;
    }

    /** Gives up what is under way, and lets go of connections. */
    @Override
    public void close() {
        endBy = System.nanoTime();
        cut();
        client.connectionPool().evictAll();
    }
}

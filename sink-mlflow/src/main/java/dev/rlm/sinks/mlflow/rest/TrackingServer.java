package dev.rlm.sinks.mlflow.rest;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.NetworkFailure;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A tracking server, asked by HTTP/1.1.
 *
 * <p><b>Threads.</b> Safe for use by several; each waits for its own answer, 40 seconds at the most, which is longer than the
 * server waits for its database. {@link #endBy} ends all waiting.
 *
 * <p><b>Errors.</b> Nothing is thrown: an {@link Answer} says what went wrong. A request whose connection was cut is made
 * again once, at once, where it may be: the server cuts connections that were idle for 5 seconds, also while a request is on
 * its way.
 */
public final class TrackingServer {
    private static final Duration TIMEOUT = Duration.ofSeconds(40);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final String TRUST = "MLFLOW_TRACKING_SERVER_CERT_PATH";

    private final Access access;
    private final List<String> secrets;
    private final HttpClient client;
    private @Nullable Long endBy; // guarded by this

    public TrackingServer(Access access) {
        this.access = access;
        secrets = access.secrets();
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_TIMEOUT);
        if (access.tls() != null) {
            builder.sslContext(access.tls());
        }
        client = builder.build();
    }

    /** Where it is, for people: without user and password. */
    public String address() {
        return access.address();
    }

    /** Makes the request and waits for the answer. */
    public Answer send(Request request) {
        return send(request, System.nanoTime() + TIMEOUT.toNanos());
    }

    /** Makes the request and waits for the answer until {@link System#nanoTime} comes to {@code by}, and 40 seconds at the most. */
    public Answer send(Request request, long by) {
        long latest = System.nanoTime() + TIMEOUT.toNanos();
        long until = by - latest < 0 ? by : latest;
        Answer answer = sendOnce(request, until);
        Failure failure = answer.failure();
        boolean cut = failure != null && failure.reason().equals(NetworkFailure.RESET);
        return cut && request.isRepeatable() ? sendOnce(request, until) : answer;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what is waited for is the answer itself
    private Answer sendOnce(Request request, long by) {
        if (isOver(by)) {
            return Answer.none(isEnded() ? Failure.closed() : Failure.timeout());
        }
        CompletableFuture<HttpResponse<byte[]>> answer =
                client.sendAsync(authorised(request), response -> new BoundedBody());
        answer.whenComplete((response, error) -> wake());
        if (!await(answer, by)) {
            answer.cancel(true); // and with it the connection
            return Answer.none(isEnded() ? Failure.unanswered() : Failure.timeout());
        }
        return answer.handle(this::read).join();
    }

    private HttpRequest authorised(Request request) {
        HttpRequest.Builder builder = request.to(access.address()).header("User-Agent", "rlm");
        String authorization = access.authorization();
        return (authorization == null ? builder : builder.header("Authorization", authorization)).build();
    }

    private Answer read(@Nullable HttpResponse<byte[]> response, @Nullable Throwable error) {
        if (response == null) {
            return Answer.none(failure(error));
        }
        HttpHeaders headers = response.headers();
        String type = headers.firstValue("Content-Type").orElse("");
        String retryAfter = headers.firstValue("Retry-After").orElse(null);
        return Answer.of(response.statusCode(), retryAfter, type, response.body(), secrets);
    }

    private static Failure failure(@Nullable Throwable error) {
        Throwable cause = error != null && error.getCause() != null && !(error instanceof IOException)
                ? error.getCause() // of the future's own exception
                : error;
        return cause instanceof IOException io ? NetworkFailure.of(io, TRUST, "") : Failure.of(cause);
    }

    /** Ends all requests under way, and all that follow, when {@link System#nanoTime} comes to {@code by}. */
    public synchronized void endBy(long by) {
        endBy = by;
        notifyAll();
    }

    /** Whether its end has come. */
    public synchronized boolean isEnded() {
        return endBy != null && System.nanoTime() - endBy >= 0;
    }

    /** Waits so long, to ask again then; whether there is still time. */
    public synchronized boolean pause(Duration time) {
        long by = System.nanoTime() + time.toNanos();
        while (!isOver(by)) {
            waitUntil(by);
        }
        return !isEnded();
    }

    private synchronized boolean await(CompletableFuture<?> answer, long by) {
        while (!answer.isDone()) {
            if (isOver(by)) {
                return false;
            }
            waitUntil(by);
        }
        return true;
    }

    private synchronized boolean isOver(long by) {
        return System.nanoTime() - by >= 0 || isEnded();
    }

    private synchronized void waitUntil(long by) {
        long until = endBy == null || by - endBy < 0 ? by : endBy;
        try {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, until - System.nanoTime()));
        } catch (InterruptedException e) {
            // Nobody's way to talk to those who wait here: they are let go by endBy.
        }
    }

    private synchronized void wake() {
        notifyAll();
    }
}

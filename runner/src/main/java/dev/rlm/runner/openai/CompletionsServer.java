package dev.rlm.runner.openai;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A server, as requests find it. A request that is interrupted ends at once, and its connection with it. No redirect is
 * followed: the key is for the address that was given. Safe for use by several threads.
 */
final class CompletionsServer {
    private static final Duration CONNECT_TIME = Duration.ofSeconds(10);

    private final CompletionsEndpoint endpoint;
    private final @Nullable String key;

    CompletionsServer(CompletionsEndpoint endpoint, @Nullable String key) {
        this.endpoint = endpoint;
        this.key = key;
    }

    CompletionsEndpoint endpoint() {
        return endpoint;
    }

    boolean hasKey() {
        return key != null;
    }

    /** Begins a request. */
    HttpRequest.Builder request(URI address, String accepted) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(address).header("Accept", accepted).header("User-Agent", "rlm");
        return key == null ? request : request.header("Authorization", "Bearer " + key);
    }

    /** Begins a request for a completion. */
    HttpRequest.Builder completion(String body, String accepted) {
        return request(endpoint.address(), accepted)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    /**
     * Sends a request. The body of the response is to be closed.
     *
     * @param silence how long nothing may come of a body that has begun
     * @throws TimeoutException if nothing is answered in time
     */
    HttpResponse<ReplyBody> send(HttpRequest request, Deadline deadline, Duration silence, int maxBytes)
            throws IOException, InterruptedException, TimeoutException {
        CompletableFuture<HttpResponse<ReplyBody>> sent =
                Shared.HTTP.sendAsync(request, response -> new ReplyBody(deadline, silence, maxBytes));
        try {
            return sent.get(deadline.left().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        } finally {
            sent.cancel(true); // closes the connection where it has not been answered
        }
    }

    /** Tells in a few words why a request came to nothing. */
    static String reason(Throwable failure) {
        if (failure instanceof HttpConnectTimeoutException) {
            return "no connection within " + CONNECT_TIME.toSeconds() + " s";
        }
        Throwable cause = failure;
        while (!(cause instanceof ChatException) && cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        if (failure instanceof ConnectException) {
            return cause instanceof UnresolvedAddressException ? "unknown host" : "cannot connect";
        }
        return cause instanceof ChatException || cause.getMessage() != null
                ? String.valueOf(cause.getMessage())
                : cause.getClass().getSimpleName();
    }

    /** The one client of the process: each has a thread, and a rollout has a server of its own. */
    private static final class Shared {
        private static final HttpClient HTTP = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT_TIME)
                .build();
    }
}

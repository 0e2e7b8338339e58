package dev.rlm.runner.openai;

import dev.rlm.cli.json.JsonTree;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Calls a server of chat completions, within limits of time, number and tries. A call that is interrupted ends at
 * once, and its connection with it. It follows no redirect: the key is for the address that was given. Safe for use
 * by several threads.
 */
final class ChatClient {
    private static final Duration CONNECT_TIME = Duration.ofSeconds(10);
    private static final String STREAM = "text/event-stream";
    private static final String DONE = "[DONE]";

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_TIME)
            .build();
    private final Endpoint endpoint;
    private final @Nullable String key;
    private final Duration timeout;
    private final Duration silence;
    private final Retries retries;
    private final Semaphore places;

    /** A client that is used for a whole job. */
    ChatClient(Endpoint endpoint, @Nullable String key, OpenAiOptions options) {
        this.endpoint = endpoint;
        this.key = key;
        timeout = options.timeout;
        silence = options.silence;
        retries = new Retries(options.retries, () -> ThreadLocalRandom.current().nextLong());
        places = new Semaphore(options.concurrency(), true);
    }

    /** Where it asks. */
    Endpoint endpoint() {
        return endpoint;
    }

    /** Waits until there is a place for another call; to be closed when that is over, its retries included. */
    Place place() throws InterruptedException {
        places.acquire();
        return places::release;
    }

    /** A place among the calls at a time. */
    @FunctionalInterface
    interface Place extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Asks for a completion, and asks again as long as nothing has been said.
     *
     * @param headers beside those of the protocol
     * @param reply what comes of it, also where it fails on the way
     * @param retried is told how often it was asked again
     */
    void complete(String body, Map<String, String> headers, ReplyCollector reply, IntConsumer retried)
            throws ChatException, InterruptedException {
        Deadline deadline = Deadline.after(timeout);
        HttpRequest request = request(body, headers);
        for (int done = 0; ; done++) {
            try {
                attempt(request, deadline, reply);
                return;
            } catch (ChatException e) {
                Duration pause = retries.pause(e, done, deadline.left());
                TimeUnit.NANOSECONDS.sleep(pause.toNanos());
                retried.accept(done + 1);
            }
        }
    }

    private HttpRequest request(String body, Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint.address())
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, " + STREAM)
                .header("User-Agent", "rlm")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        headers.forEach(request::header);
        if (key != null) {
            request.header("Authorization", "Bearer " + key);
        }
        return request.build();
    }

    private void attempt(HttpRequest request, Deadline deadline, ReplyCollector reply)
            throws ChatException, InterruptedException {
        HttpResponse<BodyChunks> response = response(request, deadline);
        try (BodyChunks chunks = response.body()) {
            ReplyBody body = new ReplyBody(chunks, deadline, silence);
            int status = response.statusCode();
            if (status / 100 != 2) {
                throw refused(response, body);
            } else if (contentType(response).startsWith(STREAM)) {
                stream(body, reply);
            } else {
                whole(body, reply);
            }
        }
    }

    private HttpResponse<BodyChunks> response(HttpRequest request, Deadline deadline)
            throws ChatException, InterruptedException {
        CompletableFuture<HttpResponse<BodyChunks>> sent = http.sendAsync(request, info -> new BodyChunks());
        try {
            return sent.get(deadline.left().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw failure(reason(cause), !(cause instanceof SSLHandshakeException), null);
        } catch (TimeoutException e) {
            throw failure("no answer in time (--model-timeout)", false, null);
        } finally {
            sent.cancel(true); // closes the connection where it has not been answered
        }
    }

    private static String contentType(HttpResponse<?> response) {
        return response.headers().firstValue("content-type").orElse("").strip();
    }

    /** Reads a stream. Once the model has said that it has ended, nothing that fails takes the reply away. */
    private void stream(ReplyBody body, ReplyCollector reply) throws ChatException, InterruptedException {
        try {
            for (String event = body.event(); event != null; event = body.event()) {
                if (event.equals(DONE)) {
                    body.drain();
                    return;
                }
                reply.piece(checked(event));
            }
            if (!reply.isFinished()) {
                throw new IOException("the stream was cut off");
            }
        } catch (IOException e) {
            if (!reply.isFinished()) {
                throw broken(e, !reply.hasBegun());
            }
        }
    }

    private void whole(ReplyBody body, ReplyCollector reply) throws ChatException, InterruptedException {
        try {
            reply.whole(checked(body.whole()));
        } catch (IOException e) {
            throw broken(e, !body.hasBegun());
        }
    }

    /** A JSON object that tells of no error; servers that have begun a stream tell of errors so. */
    private static Fields checked(String json) throws ChatException {
        Fields fields;
        try {
            fields = new Fields(JsonTree.object(json));
        } catch (JacksonException e) {
            throw ChatException.lasting("malformed JSON: " + e.getOriginalMessage());
        }
        if (fields.values().get("error") != null) {
            Long code = fields.object("error").count("code");
            boolean passing = code != null && Retries.isPassing(code.intValue());
            throw new ChatException("the server failed: " + ServerError.message(json), passing, null);
        }
        return fields;
    }

    private ChatException refused(HttpResponse<?> response, ReplyBody body) throws InterruptedException {
        int status = response.statusCode();
        if (status / 100 == 3) {
            return failure(
                    "status " + status + ": redirects are not followed, since the key is for this address",
                    false,
                    null);
        }
        String message;
        try {
            message = ServerError.message(body.whole());
        } catch (IOException e) {
            message = ""; // the status says it
        }
        return failure(
                "status " + status + (message.isEmpty() ? "" : ": " + message),
                Retries.isPassing(status),
                Retries.asked(response.headers(), Instant.now()));
    }

    private ChatException broken(IOException e, boolean mayPass) {
        boolean passing = mayPass && (!(e instanceof ChatException chat) || chat.isPassing());
        return failure(reason(e), passing, null);
    }

    private ChatException failure(String what, boolean passing, @Nullable Duration pause) {
        return new ChatException("POST " + endpoint.address() + ": " + what, passing, pause);
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
}

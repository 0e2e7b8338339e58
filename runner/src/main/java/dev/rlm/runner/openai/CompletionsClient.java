package dev.rlm.runner.openai;

import dev.rlm.json.Json;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import javax.net.ssl.SSLHandshakeException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/** Asks a server for completions, within limits of time, number and tries. Safe for use by several threads. */
final class CompletionsClient {
    private static final String WAIT_FOR_PLACE = "rlm.model.wait";
    private static final String BACK_OFF = "rlm.model.back_off";
    private static final String PAUSED = "X-Agl-Paused"; // agent-lightning's, while weights change
    private static final Duration PAUSE = Duration.ofSeconds(5); // where a server does not say for how long
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LASTING = Duration.ofMillis(100);
    private static final String STREAM = "text/event-stream";
    private static final String DONE = "[DONE]";
    private static final int MAX_BYTES = 1 << 26;

    private final CompletionsServer server;
    private final Duration timeout;
    private final Duration silence;
    private final ChatRetryPolicy retries;
    private final Semaphore places;

    /** A client that is used for a whole job. */
    CompletionsClient(CompletionsServer server, OpenAiOptions options) {
        this.server = server;
        timeout = options.timeout;
        silence = options.silence;
        retries = new ChatRetryPolicy(
                options.retries, () -> ThreadLocalRandom.current().nextLong());
        places = new Semaphore(options.concurrency(), true);
    }

    CompletionsEndpoint endpoint() {
        return server.endpoint();
    }

    /**
     * Waits until there is a place for another call, in a span of the step. It is closed when the call is over, its retries included: a
     * server that refuses a call has too many, and others in its place would make that worse.
     */
    Permit place(Step step) throws InterruptedException {
        if (!places.tryAcquire(0, TimeUnit.NANOSECONDS)) { // which lets those go first that wait
            try (Span wait = step.span(WAIT_FOR_PLACE)) {
                places.acquire();
            }
        }
        return places::release;
    }

    /** A place among the calls at a time. */
    @FunctionalInterface
    interface Permit extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Asks for a completion, and asks again as long as nothing has been said. A pause of the server uses up
     * neither the time nor the tries.
     *
     * @param headers beside those of the protocol
     * @param reply what comes of it, also where it fails on the way
     * @param step what is waited for between is a span of it, where it lasts
     * @param retried is told how often it was asked again
     */
    void complete(String body, Map<String, String> headers, Reply reply, Step step, IntConsumer retried)
            throws ChatException, InterruptedException {
        Deadline deadline = Deadline.after(timeout);
        HttpRequest.Builder request = server.completion(body, "application/json, " + STREAM);
        headers.forEach(request::header);
        for (int done = 0; ; ) {
            try {
                attempt(request.build(), deadline, reply);
                return;
            } catch (ChatException e) {
                if (e.isPaused()) {
                    backOff(step, 0, retries.pause(Objects.requireNonNull(e.pause())));
                    deadline = Deadline.after(timeout);
                } else {
                    backOff(step, done + 1, pause(e, done, deadline));
                    done++;
                    retried.accept(done);
                }
            }
        }
    }

    private Duration pause(ChatException failure, int done, Deadline deadline) throws ChatException {
        try {
            return retries.pause(failure, done, deadline.left());
        } catch (ChatException last) {
            throw last.from(endpoint().address());
        }
    }

    private static void backOff(Step step, int retry, Duration pause) throws InterruptedException {
        try (Span wait = pause.compareTo(LASTING) < 0 ? Span.NOOP : step.span(BACK_OFF)) {
            wait.attribute("rlm.retry", retry);
            TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        }
    }

    private void attempt(HttpRequest request, Deadline deadline, Reply reply)
            throws ChatException, InterruptedException {
        HttpResponse<ReplyBody> response = response(request, deadline);
        try (ReplyBody body = response.body()) {
            if (response.statusCode() / 100 != 2) {
                throw refused(response, body);
            } else if (response.headers()
                    .firstValue("content-type")
                    .orElse("")
                    .strip()
                    .startsWith(STREAM)) {
                stream(body, reply);
            } else {
                whole(body, reply);
            }
        }
    }

    private HttpResponse<ReplyBody> response(HttpRequest request, Deadline deadline)
            throws ChatException, InterruptedException {
        try {
            return server.send(request, deadline, silence, MAX_BYTES);
        } catch (IOException e) {
            throw new ChatException(CompletionsServer.reason(e), !(e instanceof SSLHandshakeException), null);
        } catch (TimeoutException e) {
            throw new ChatException("no answer in time (--model-timeout)", false, null);
        }
    }

    /** Reads a stream. Once the model has said that it has ended, nothing that fails takes the reply away. */
    private void stream(ReplyBody body, Reply reply) throws ChatException, InterruptedException {
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
        } catch (IOException | TimeoutException e) {
            if (!reply.isFinished()) {
                throw broken(e, !reply.hasBegun());
            }
        }
    }

    private void whole(ReplyBody body, Reply reply) throws ChatException, InterruptedException {
        try {
            reply.whole(checked(body.whole()));
        } catch (IOException | TimeoutException e) {
            throw broken(e, !body.hasBegun());
        }
    }

    /** A JSON object that tells of no error; servers that have begun a stream tell of errors so. */
    private static ObjectNode checked(String json) throws ChatException {
        ObjectNode reply;
        try {
            reply = Json.REPLY.object(json);
        } catch (JacksonException e) {
            throw ChatException.lasting("malformed JSON: " + e.getOriginalMessage());
        }
        if (reply.hasNonNull("error")) {
            boolean passing =
                    ChatRetryPolicy.isPassing(reply.path("error").path("code").intValue(0));
            throw new ChatException("the server failed: " + ChatException.said(json), passing, null);
        }
        return reply;
    }

    private ChatException refused(HttpResponse<?> response, ReplyBody body) throws InterruptedException {
        int status = response.statusCode();
        if (status / 100 == 3) {
            return new ChatException(
                    "status " + status + ": redirects are not followed, since the key is for this address",
                    false,
                    null);
        }
        String message;
        try {
            message = ChatException.said(body.whole());
        } catch (IOException | TimeoutException e) {
            message = ""; // the status says it
        }
        Duration asked = ChatRetryPolicy.asked(response.headers(), Instant.now());
        if (status == 429 && response.headers().firstValue(PAUSED).isPresent()) {
            boolean lasts = asked != null && asked.compareTo(SHORTEST_PAUSE) > 0;
            return ChatException.paused(
                    "the server has paused", asked == null ? PAUSE : lasts ? asked : SHORTEST_PAUSE);
        }
        return new ChatException(
                "status " + status + (message.isEmpty() ? "" : ": " + message),
                ChatRetryPolicy.isPassing(status),
                asked);
    }

    private ChatException broken(Exception e, boolean mayPass) {
        if (e instanceof TimeoutException) {
            return new ChatException("the reply has not ended in time (--model-timeout)", false, null);
        }
        boolean passing = mayPass && (!(e instanceof ChatException chat) || chat.isPassing());
        return new ChatException(CompletionsServer.reason(e), passing, null);
    }
}

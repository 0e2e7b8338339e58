package dev.rlm.runner.openenv;

import dev.rlm.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** A session with an OpenEnv server: a WebSocket, which is one environment. A message is answered before the next. Used by one thread. */
final class OpenEnvSession implements AutoCloseable {
    private static final int MOST_CHARACTERS = 64 << 20; // of an answer
    private static final Duration CLOSING = Duration.ofSeconds(2);
    private static final String CAPACITY = "CAPACITY_REACHED";

    private final WebSocket socket;
    private final Answers answers;
    private final Duration patience;

    private OpenEnvSession(WebSocket socket, Answers answers, Duration patience) {
        this.socket = socket;
        this.answers = answers;
        this.patience = patience;
    }

    /**
     * Opens one.
     *
     * @param url of the socket
     * @param patience with each answer
     * @throws IOException if the server cannot be reached
     */
    static OpenEnvSession open(HttpClient client, URI url, Duration patience) throws IOException, InterruptedException {
        Answers answers = new Answers();
        try {
            WebSocket socket = client.newWebSocketBuilder()
                    .connectTimeout(patience)
                    .buildAsync(url, answers)
                    .get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return new OpenEnvSession(socket, answers, patience);
        } catch (ExecutionException e) {
            throw new IOException(url + " cannot be reached: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new IOException(url + " did not answer within " + patience.toSeconds() + " s", e);
        }
    }

    /**
     * Sends a message, and returns the data of its answer.
     *
     * @throws RefusedException if the environment refuses it: the session goes on
     * @throws NoCapacityException if the server has no room for a session
     * @throws IOException if there is no answer
     */
    JsonNode exchange(Map<String, ?> message) throws IOException, InterruptedException {
        try {
            socket.sendText(Json.text(message), true).get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            if (answers.isEmpty()) { // else the server has said why it hung up
                throw new IOException("the environment's session is gone: " + e, e);
            }
        }
        String text = answers.take(patience);
        try {
            JsonNode answer = Json.REPLY.object(text);
            JsonNode data = answer.path("data");
            if (!answer.path("type").asString("").equals("error")) {
                return data;
            }
            String code = data.path("code").asString("");
            String said = data.path("message").asString("") + (data.has("errors") ? " " + data.get("errors") : "");
            if (code.equals(CAPACITY)) {
                throw new NoCapacityException(said);
            } else if (code.endsWith("_ERROR") && !code.equals("FACTORY_ERROR") && !code.equals("SESSION_ERROR")) {
                throw new RefusedException(said);
            }
            throw new IOException("the environment's server says " + code + ": " + said);
        } catch (JacksonException e) {
            throw new IOException("the environment's server answers with " + Json.reason(e), e);
        }
    }

    @Override
    public void close() {
        try {
            if (!socket.isOutputClosed()) {
                socket.sendText("{\"type\":\"close\"}", true).get(CLOSING.toMillis(), TimeUnit.MILLISECONDS);
                socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(CLOSING.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // it is gone
        } finally {
            socket.abort();
        }
    }

    /** The environment does not take an action. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }

    /** The server has as many sessions as it may have. */
    static final class NoCapacityException extends IOException {
        private static final long serialVersionUID = 1;

        NoCapacityException(String message) {
            super(message);
        }
    }

    /** Answers of the server that were not taken yet. */
    private static final class Answers implements WebSocket.Listener {
        private final BlockingQueue<Object> taken = new ArrayBlockingQueue<>(16); // texts, and why there are no more
        private final StringBuilder text = new StringBuilder();

        boolean isEmpty() {
            return taken.isEmpty();
        }

        String take(Duration patience) throws IOException, InterruptedException {
            Object next = taken.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (next instanceof String answer) {
                return answer;
            } else if (next == null) {
                throw new IOException("the environment did not answer within " + patience.toSeconds() + " s");
            }
            taken.offer(next); // for the next call
            throw new IOException("the environment's session is gone: " + next);
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
            if (text.length() + data.length() > MOST_CHARACTERS) {
                webSocket.abort();
                taken.offer(
                        new IOException("an answer is longer than " + (MOST_CHARACTERS >> 20) + " million characters"));
                return null;
            }
            text.append(data);
            if (last) {
                taken.offer(text.toString());
                text.setLength(0);
            }
            webSocket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket webSocket, int code, String reason) {
            taken.offer(new IOException("closed with " + code + (reason.isEmpty() ? "" : ": " + reason)));
            return null;
        }

        @Override
        public void onError(WebSocket webSocket, Throwable error) {
            taken.offer(error);
        }
    }
}

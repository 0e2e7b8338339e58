package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Scope;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow.Publisher;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A model whose calls are recorded, as its provider, its name and the shape of its requests and replies. */
final class TracedModel<Q, R> {
    private final String provider;
    private final String model;
    private final ChatShape<Q, R> shape;

    TracedModel(String provider, String model, ChatShape<Q, R> shape) {
        this.provider = Objects.requireNonNull(provider, "provider");
        this.model = Objects.requireNonNull(model, "model");
        this.shape = Objects.requireNonNull(shape, "shape");
    }

    ChatShape<Q, R> shape() {
        return shape;
    }

    /** Starts recording a call that is about to be made. */
    ChatRecording<R> start(Activity in, Q request) {
        ModelCall call = in.startModelCall(provider, name(request));
        Guard.run("a model's request", () -> shape.request(request, call));
        return new ChatRecording<>(shape, call);
    }

    private String name(Q request) {
        @Nullable String[] own = new @Nullable String[1];
        Guard.run("the model that a request names", () -> own[0] = shape.modelOf(request));
        return own[0] == null ? model : own[0];
    }

    <X extends Exception> R send(ChatClient<Q, R, X> client, Q request) throws X {
        Activity here = Activity.current();
        return here.isRecording() ? start(here, request).around(() -> client.send(request)) : client.send(request);
    }

    <X extends Exception> CompletableFuture<R> sendAsync(ChatClient<Q, CompletableFuture<R>, X> client, Q request)
            throws X {
        Activity here = Activity.current();
        if (!here.isRecording()) {
            return client.send(request);
        }
        ChatRecording<R> recording = start(here, request);
        CompletableFuture<R> reply = recording.opening(() -> client.send(request));
        if (reply == null) { // a client that breaks its word is the agent's to notice
            recording.returned(null);
            return reply;
        }
        return TracedFuture.of(reply, recording);
    }

    /** Makes the activity current on this thread, unless it is. */
    static Scope within(Activity activity) {
        return Activity.current().equals(activity) ? Scope.NONE : activity.makeCurrent();
    }

    /**
     * Begins to record a streamed call, whose reply is a list of chunks; {@code null} if no recorded activity is
     * current.
     */
    static <Q, T> @Nullable Chunks<T> chunks(TracedModel<Q, List<T>> chat, Q request) {
        Activity here = Activity.current();
        return here.isRecording() ? new Chunks<>(here, chat.start(here, request)) : null;
    }

    static <Q, T, X extends Exception> Stream<T> stream(
            TracedModel<Q, List<T>> chat, ChatClient<Q, Stream<T>, X> client, Q request) throws X {
        Chunks<T> chunks = chunks(chat, request);
        if (chunks == null) {
            return client.send(request);
        }
        Stream<T> reply = chunks.opening(() -> client.send(request));
        if (reply == null) {
            chunks.end();
            return reply;
        }
        return ChunkStream.of(reply, chunks);
    }

    static <Q, T, X extends Exception> Publisher<T> publish(
            TracedModel<Q, List<T>> chat, ChatClient<Q, Publisher<T>, X> client, Q request) throws X {
        Chunks<T> chunks = chunks(chat, request);
        if (chunks == null) {
            return client.send(request);
        }
        Publisher<T> reply = chunks.opening(() -> client.send(request));
        if (reply == null) {
            chunks.end();
            return reply;
        }
        return new ChunkPublisher<>(reply, chunks);
    }

    static <Q, T> void feed(
            TracedModel<Q, List<T>> chat, BiConsumer<? super Q, Consumer<T>> client, Q request, Consumer<T> consumer) {
        Chunks<T> chunks = chunks(chat, request);
        if (chunks == null) {
            client.accept(request, consumer);
            return;
        }
        chunks.around(() -> {
            client.accept(request, chunks.before(consumer));
            return true;
        });
    }
}

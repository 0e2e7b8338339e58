package dev.rlm.sinks.traced;

import dev.rlm.sinks.ModelCall;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the requests and replies of a model's client, which writes them into a {@link ModelCall}. Immutable.
 *
 * <p>Both are read on the agent's threads, so reading should not take long, and must not change or use up what is read. If
 * it throws, the call is recorded with what was written until then, and a warning tells of it.
 *
 * <pre>{@code
 * ChatShape<Question, Answer> shape = ChatShape.of(
 *         Question.class,
 *         Answer.class,
 *         (question, call) -> call.message("user", question.text()).parameter("temperature", question.temperature()),
 *         (answer, call) -> call.reply(answer.text()).finishReason(answer.stopReason()));
 * }</pre>
 *
 * @param <Q> the request
 * @param <R> the reply; of a streamed one the list of its chunks
 */
public final class ChatShape<Q, R> {
    /** A text is asked and a text is replied. */
    public static final ChatShape<String, String> TEXT = of(
            String.class, String.class, (text, call) -> call.message("user", text), (text, call) -> call.reply(text));

    /** A text is asked, and a text is replied in pieces. */
    public static final ChatShape<String, List<String>> TEXT_CHUNKS = of(
            String.class,
            List.class,
            (text, call) -> call.message("user", text),
            (chunks, call) -> call.reply(String.join("", chunks)));

    private final Class<? super Q> requestType;
    private final Class<? super R> replyType;
    private final BiConsumer<? super Q, ModelCall> request;
    private final BiConsumer<? super R, ModelCall> reply;
    private final Function<? super Q, @Nullable String> model;

    private ChatShape(
            Class<? super Q> requestType,
            Class<? super R> replyType,
            BiConsumer<? super Q, ModelCall> request,
            BiConsumer<? super R, ModelCall> reply,
            Function<? super Q, @Nullable String> model) {
        this.requestType = Objects.requireNonNull(requestType, "request type");
        this.replyType = Objects.requireNonNull(replyType, "reply type");
        this.request = Objects.requireNonNull(request, "request");
        this.reply = Objects.requireNonNull(reply, "reply");
        this.model = Objects.requireNonNull(model, "model");
    }

    /** The shape of a client that takes such requests and gives such replies, and what of each is recorded. */
    public static <Q, R> ChatShape<Q, R> of(
            Class<? super Q> requestType,
            Class<? super R> replyType,
            BiConsumer<? super Q, ModelCall> request,
            BiConsumer<? super R, ModelCall> reply) {
        return new ChatShape<>(requestType, replyType, request, reply, any -> null);
    }

    /** The same shape, of requests that name their model themselves. Where one does not, it is the wrapper's. */
    public ChatShape<Q, R> model(Function<? super Q, @Nullable String> model) {
        return new ChatShape<>(requestType, replyType, request, reply, model);
    }

    Class<? super Q> requestType() {
        return requestType;
    }

    Class<? super R> replyType() {
        return replyType;
    }

    @Nullable
    String modelOf(Q value) {
        return model.apply(value);
    }

    void request(Q value, ModelCall call) {
        request.accept(value, call);
    }

    void reply(R value, ModelCall call) {
        reply.accept(value, call);
    }
}

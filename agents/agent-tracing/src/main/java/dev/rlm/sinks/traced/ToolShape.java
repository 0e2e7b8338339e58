package dev.rlm.sinks.traced;

import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.ToolCalled;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A reading of a tool's calls: writes its argument and its result into a {@link ToolCall}. For tools whose argument is a
 * library's own request, with the call's id beside the arguments. Immutable.
 *
 * <p>Both are read on the agent's threads, as those of a {@link ChatShape}, and what fails in it costs no more. Values that
 * are not of these types are recorded as they are.
 *
 * <pre>{@code
 * ToolShape<Request, Result> shape = ToolShape.of(
 *         Request.class,
 *         Result.class,
 *         (request, call) -> call.callId(request.id()).arguments(request.json()),
 *         (result, call) -> call.result(result.text()));
 * }</pre>
 *
 * @param <A> the tool's argument; where it has several, the first
 * @param <R> its result
 */
public final class ToolShape<A, R> {
    /** A function of the agent's own program, whose arguments and results are recorded as they are. */
    static final ToolShape<Object, Object> PLAIN =
            new ToolShape<>(null, null, (any, call) -> {}, (any, call) -> {}, error -> null, false);

    /** A tool of a Model Context Protocol server, whose arguments and results are recorded as they are. */
    public static final ToolShape<Object, Object> MCP = PLAIN.mcp();

    private final @Nullable Class<? super A> argumentType;
    private final @Nullable Class<? super R> resultType;
    private final BiConsumer<? super A, ToolCall> argument;
    private final BiConsumer<? super R, ToolCall> result;
    private final Function<Throwable, @Nullable Throwable> failure;
    private final boolean isMcp;

    private ToolShape(
            @Nullable Class<? super A> argumentType,
            @Nullable Class<? super R> resultType,
            BiConsumer<? super A, ToolCall> argument,
            BiConsumer<? super R, ToolCall> result,
            Function<Throwable, @Nullable Throwable> failure,
            boolean isMcp) {
        this.argumentType = argumentType;
        this.resultType = resultType;
        this.argument = argument;
        this.result = result;
        this.failure = failure;
        this.isMcp = isMcp;
    }

    /** The shape of a tool that takes such an argument and gives such a result, and what of each is recorded. */
    public static <A, R> ToolShape<A, R> of(
            Class<? super A> argumentType,
            Class<? super R> resultType,
            BiConsumer<? super A, ToolCall> argument,
            BiConsumer<? super R, ToolCall> result) {
        return new ToolShape<>(
                Objects.requireNonNull(argumentType, "argument type"),
                Objects.requireNonNull(resultType, "result type"),
                Objects.requireNonNull(argument, "argument"),
                Objects.requireNonNull(result, "result"),
                error -> null,
                false);
    }

    /** The same shape, of tools of a Model Context Protocol server. */
    public ToolShape<A, R> mcp() {
        return new ToolShape<>(argumentType, resultType, argument, result, failure, true);
    }

    /**
     * The same shape, of tools whose library throws exceptions of its own around theirs.
     *
     * @param own returns what the tool itself has thrown; {@code null} where that is what the library throws
     */
    public ToolShape<A, R> failure(Function<Throwable, @Nullable Throwable> own) {
        return new ToolShape<>(argumentType, resultType, argument, result, Objects.requireNonNull(own, "own"), isMcp);
    }

    /** Returns what the tool itself has thrown. */
    Throwable failure(Throwable error) {
        @Nullable Throwable[] found = new @Nullable Throwable[1];
        Guard.run("what a tool itself has thrown", () -> found[0] = failure.apply(error));
        return Objects.requireNonNullElse(found[0], error);
    }

    /**
     * Writes what the tool is given.
     *
     * @param first its argument or, of several, the first
     * @param all what is recorded where that has not the type
     */
    @SuppressWarnings("unchecked") // it is an instance of the argument's type
    void argument(@Nullable Object first, @Nullable Object all, ToolCall call) {
        if (isMcp) {
            call.provider(ToolCalled.MCP);
        }
        if (argumentType != null && argumentType.isInstance(first)) {
            argument.accept((A) first, call);
        } else {
            call.arguments(Texts.of(all));
        }
    }

    /** Writes what the tool gave. */
    @SuppressWarnings("unchecked") // it is an instance of the result's type
    void result(@Nullable Object value, ToolCall call) {
        if (resultType != null && resultType.isInstance(value)) {
            result.accept((R) value, call);
        } else {
            call.result(Texts.of(value));
        }
    }
}

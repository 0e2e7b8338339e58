package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow.Publisher;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Wrappers around an agent's models and tools that record each call, so that any agent can be observed without a change to
 * it.
 *
 * <pre>{@code
 * Function<String, String> search = Traced.tool("search", index::search);
 * ChatClient<String, String, IOException> model = Traced.chat("ollama", "qwen3", client::ask);
 * try (Run run = sinks.startRun(spec); Step step = run.startStep(question); Scope scope = step.makeCurrent()) {
 *     step.complete(new Agent(model::send, search).answer(question)); // its calls are recorded in the step
 * }
 * }</pre>
 *
 * <p><b>Where a call is recorded</b>: in what is {@linkplain Activity#current current} on the thread that makes it: a step, a
 * run, a span, or the computation of a reward. {@link dev.rlm.sinks.Scope#wrap(Runnable)} hands that on to other threads.
 * Where nothing is current the wrapper calls through and does nothing else. Calls of models and tools do not lie in each other: a
 * model that a tool calls is recorded beside the tool's call.
 *
 * <p><b>What the agent sees</b> is what it saw before: the same results, the same exceptions, on the same threads. A stage
 * or a stream is given on as one of the same type that behaves alike. What fails in recording is logged, never thrown.
 *
 * <p><b>What is recorded</b> of a tool are its arguments and its result, read on the calling thread before and after the call:
 * text as it is; numbers, booleans, lists, maps and records as JSON; all else by {@code toString}. Cyclic and huge ones
 * end as {@link dev.rlm.sinks.event.JsonValues} says. A {@link java.util.concurrent.CompletionStage} is recorded when it
 * completes. What is recorded of a model says its {@link ChatShape}, and of a library's tools a {@link ToolShape}.
 *
 * <p>All wrappers are as safe for use by several threads as what they wrap. Arguments here are checked: a name must not be
 * blank, and what is to be stood for must be an interface.
 */
public final class Traced {
    private Traced() {}

    // ---- models

    /** A client that takes and gives text. */
    public static <X extends Exception> ChatClient<String, String, X> chat(
            String provider, String model, ChatClient<String, String, X> client) {
        return chat(provider, model, client, ChatShape.TEXT);
    }

    /**
     * A client that waits for the whole reply.
     *
     * @param provider as the GenAI semantic conventions name it, such as {@code openai}
     * @param model the model that is asked, unless the {@linkplain ChatShape#model request says}
     */
    public static <Q, R, X extends Exception> ChatClient<Q, R, X> chat(
            String provider, String model, ChatClient<Q, R, X> client, ChatShape<Q, R> shape) {
        Objects.requireNonNull(client, "client");
        TracedModel<Q, R> chat = new TracedModel<>(provider, model, shape);
        return request -> chat.send(client, request);
    }

    /**
     * A client behind an interface of its own, which it keeps. Methods whose first parameter is a request of the shape, and
     * which return a reply or a stage that will, are recorded; all others are called as they are.
     *
     * <p>So are methods that return nothing and tell a handler of the reply: a parameter behind an interface of which one
     * method takes a reply and another a {@link Throwable}. The call has ended with either; what the handler is told before
     * is the first token. What the handler does, on whatever thread, lies where the call was made.
     */
    public static <C, Q, R> C chat(String provider, String model, Class<C> type, C client, ChatShape<Q, R> shape) {
        return new ChatProxy<>(type, client, new TracedModel<>(provider, model, shape)).as(type);
    }

    /** A client whose reply comes later. The call has ended when the future completes. */
    public static <Q, R, X extends Exception> ChatClient<Q, CompletableFuture<R>, X> chatAsync(
            String provider, String model, ChatClient<Q, CompletableFuture<R>, X> client, ChatShape<Q, R> shape) {
        Objects.requireNonNull(client, "client");
        TracedModel<Q, R> chat = new TracedModel<>(provider, model, shape);
        return request -> chat.sendAsync(client, request);
    }

    /**
     * A client whose reply is streamed. The first token is noted with the first chunk. The call has ended when the stream
     * has, when it fails or when it is closed; a stream that is neither read to its end nor closed is not recorded.
     */
    public static <Q, T, X extends Exception> ChatClient<Q, Stream<T>, X> chatStream(
            String provider, String model, ChatClient<Q, Stream<T>, X> client, ChatShape<Q, List<T>> shape) {
        Objects.requireNonNull(client, "client");
        TracedModel<Q, List<T>> chat = new TracedModel<>(provider, model, shape);
        return request -> TracedModel.stream(chat, client, request);
    }

    /** A client that hands each chunk to a consumer and returns after the last one, with which the call has ended. */
    public static <Q, T> BiConsumer<Q, Consumer<T>> chatStream(
            String provider, String model, BiConsumer<Q, Consumer<T>> client, ChatShape<Q, List<T>> shape) {
        Objects.requireNonNull(client, "client");
        TracedModel<Q, List<T>> chat = new TracedModel<>(provider, model, shape);
        return (request, consumer) -> TracedModel.feed(chat, client, request, consumer);
    }

    /**
     * A client whose reply is published. What the first subscriber is given is recorded, until it cancels. What it does
     * then, on whatever thread, lies where the call was made.
     */
    public static <Q, T, X extends Exception> ChatClient<Q, Publisher<T>, X> chatPublisher(
            String provider, String model, ChatClient<Q, Publisher<T>, X> client, ChatShape<Q, List<T>> shape) {
        Objects.requireNonNull(client, "client");
        TracedModel<Q, List<T>> chat = new TracedModel<>(provider, model, shape);
        return request -> TracedModel.publish(chat, client, request);
    }

    // ---- spans

    /**
     * An object each of whose calls by the interface is recorded as a span {@code Interface.method}, such as a memory or a retriever that
     * is no tool of the model's. Calls that the method makes on its thread lie in the span; arguments and results are not recorded. A
     * span ends when the call returns; that of a {@link java.util.concurrent.CompletionStage} when it completes.
     */
    public static <T> T spans(Class<T> type, T target) {
        return new SpanProxy(type, target).as(type);
    }

    // ---- tools

    /** A tool of one argument. */
    public static <A extends @Nullable Object, R extends @Nullable Object> Function<A, R> tool(
            String name, Function<A, R> tool) {
        return tool(name, tool, ToolShape.PLAIN);
    }

    /** A tool of one argument, of which is recorded what the shape says. */
    public static <A extends @Nullable Object, R extends @Nullable Object> Function<A, R> tool(
            String name, Function<A, R> tool, ToolShape<? super A, ? super R> shape) {
        TracedTool traced = new TracedTool(name, tool, shape);
        return argument -> traced.call(argument, () -> tool.apply(argument));
    }

    /** A tool of two arguments, which are recorded as a list. */
    public static <A extends @Nullable Object, B extends @Nullable Object, R extends @Nullable Object>
            BiFunction<A, B, R> tool(String name, BiFunction<A, B, R> tool) {
        TracedTool traced = new TracedTool(name, tool, ToolShape.PLAIN);
        return (one, other) -> traced.call(new @Nullable Object[] {one, other}, () -> tool.apply(one, other));
    }

    /** A tool without arguments. */
    public static <R extends @Nullable Object> Supplier<R> tool(String name, Supplier<R> tool) {
        TracedTool traced = new TracedTool(name, tool, ToolShape.PLAIN);
        return () -> traced.call("", tool::get);
    }

    /**
     * A tool behind an interface, such as {@link java.util.concurrent.Callable} or one of the agent's own. Its only
     * abstract method is recorded under that name; where it has several, those with parameters are, since the others tell
     * what the tool is. Methods with a body are what that body calls, unless the tool has a body of its own for them.
     *
     * <p>A single argument is recorded as it is, several by name, for which the interface has to be compiled with {@code
     * -parameters}.
     */
    public static <T> T tool(String name, Class<T> type, T tool) {
        return tool(name, type, tool, ToolShape.PLAIN);
    }

    /** A tool behind an interface that the shape reads: its argument is the first of the method's. */
    public static <T> T tool(String name, Class<T> type, T tool, ToolShape<?, ?> shape) {
        return ToolProxy.one(TracedTool.checked(name), type, tool, shape).as(type);
    }

    /** An object whose methods are tools: each call of a method of the interface is recorded under the method's name. */
    public static <T> T tool(Class<T> type, T tools) {
        return ToolProxy.each(type, tools).as(type);
    }

    /** A copy of the map whose tools are traced under their keys; in the same order. */
    public static <A extends @Nullable Object, R extends @Nullable Object> Map<String, Function<A, R>> tools(
            Map<String, ? extends Function<A, R>> tools) {
        return tools(tools, ToolShape.PLAIN);
    }

    /** A copy of the map whose tools the shape reads, under their keys; in the same order. */
    public static <A extends @Nullable Object, R extends @Nullable Object> Map<String, Function<A, R>> tools(
            Map<String, ? extends Function<A, R>> tools, ToolShape<? super A, ? super R> shape) {
        Map<String, Function<A, R>> traced = new LinkedHashMap<>();
        tools.forEach((name, tool) -> traced.put(name, tool(name, tool, shape)));
        return traced;
    }

    /** A copy of the map whose tools behind an interface are traced under their keys; in the same order. */
    public static <T> Map<String, T> tools(Class<T> type, Map<String, ? extends T> tools) {
        return tools(type, tools, ToolShape.PLAIN);
    }

    /** A copy of the map whose tools behind an interface the shape reads. */
    public static <T> Map<String, T> tools(Class<T> type, Map<String, ? extends T> tools, ToolShape<?, ?> shape) {
        Map<String, T> traced = new LinkedHashMap<>();
        tools.forEach((name, tool) -> traced.put(name, tool(name, type, tool, shape)));
        return traced;
    }

    /** A copy of the list whose tools are traced, each under the name that is asked of it now. */
    public static <T> List<T> tools(Class<T> type, List<? extends T> tools, Function<? super T, String> name) {
        return tools(type, tools, name, ToolShape.PLAIN);
    }

    /** A copy of the list whose tools the shape reads, each under the name that is asked of it now. */
    public static <T> List<T> tools(
            Class<T> type, List<? extends T> tools, Function<? super T, String> name, ToolShape<?, ?> shape) {
        List<T> traced = new ArrayList<>();
        tools.forEach(tool -> traced.add(tool(name.apply(tool), type, tool, shape)));
        return traced;
    }
}

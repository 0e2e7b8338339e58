package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Stands for a model's client, and records the calls of its methods that take a request first and return a reply, or a stage
 * that will, or tell a handler of it. Other methods for which the client has no body of its own run here, since they may call
 * these.
 */
final class ChatProxy<Q, R> extends RecordingProxy {
    private static final int NO_HANDLER = 0; // the first parameter is the request

    private final TracedModel<Q, R> chat;
    private final Map<Method, Integer> replying = new HashMap<>(); // the handler's place; only read once it stands in

    ChatProxy(Class<?> type, Object client, TracedModel<Q, R> chat) {
        super(type, client);
        this.chat = chat;
        for (Method method : type.getMethods()) {
            int handler = handler(method);
            if (takesRequest(method) && (handler != NO_HANDLER || returnsReply(method))) {
                replying.put(method, handler);
            } else if (inherits(method)) {
                runHere(method);
            }
        }
    }

    private boolean takesRequest(Method method) {
        return method.getParameterCount() > 0
                && isRelated(method.getParameterTypes()[0], chat.shape().requestType());
    }

    private boolean returnsReply(Method method) {
        Class<?> returned = method.getReturnType();
        return isRelated(returned, chat.shape().replyType()) || CompletionStage.class.isAssignableFrom(returned);
    }

    /** The place of the parameter that is told of the reply, of a method that returns nothing. */
    private int handler(Method method) {
        Class<?>[] types = method.getParameterTypes();
        int place = method.getReturnType() == void.class ? types.length - 1 : NO_HANDLER;
        while (place > NO_HANDLER
                && !HandlerProxy.mayHandle(types[place], chat.shape().replyType())) {
            place--;
        }
        return Math.max(place, NO_HANDLER);
    }

    /** Generic interfaces have methods that take and return less special types. */
    private static boolean isRelated(Class<?> one, Class<?> other) {
        return one.isAssignableFrom(other) || other.isAssignableFrom(one);
    }

    @Override
    @SuppressWarnings("unchecked") // it is an instance of the request's type
    @Nullable
    Object recorded(Activity here, Method method, Object[] arguments) throws Throwable {
        Integer handler = replying.get(method);
        if (handler == null || !chat.shape().requestType().isInstance(arguments[0])) {
            return call(method, arguments);
        }
        ChatRecording<R> recording = chat.start(here, (Q) arguments[0]);
        if (handler != NO_HANDLER && arguments[handler] != null) {
            return handled(here, method, arguments, handler, recording);
        }
        Object result = call(method, arguments, recording);
        return TracedFuture.observe(result, TracedFuture.declaredBy(method), recording.ofAny());
    }

    private @Nullable Object handled(
            Activity here, Method method, Object[] arguments, int place, ChatRecording<R> recording) throws Throwable {
        Class<?> type = method.getParameterTypes()[place];
        HandlerProxy<R> handler =
                new HandlerProxy<>(type, arguments[place], chat.shape().replyType(), here, recording);
        Object[] given = arguments.clone();
        given[place] = handler.as(type);
        return call(method, given, handler);
    }
}

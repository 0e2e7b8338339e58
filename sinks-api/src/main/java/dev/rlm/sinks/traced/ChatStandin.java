package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Stands for a model's client, and records the calls of its methods that take a request first and return a reply, or a stage
 * that will. Other methods for which the client has no body of its own run here, since they may call these.
 */
final class ChatStandin<Q, R> extends Standin {
    private final Chat<Q, R> chat;
    private final Set<Method> replying; // only read

    ChatStandin(Class<?> type, Object client, Chat<Q, R> chat) {
        super(type, client);
        this.chat = chat;
        replying = Arrays.stream(type.getMethods()).filter(this::mayReply).collect(Collectors.toSet());
        Arrays.stream(type.getMethods())
                .filter(method -> !replying.contains(method) && inherits(method))
                .forEach(this::runHere);
    }

    private boolean mayReply(Method method) {
        Class<?> returned = method.getReturnType();
        return method.getParameterCount() > 0
                && isRelated(method.getParameterTypes()[0], chat.shape().requestType())
                && (isRelated(returned, chat.shape().replyType()) || CompletionStage.class.isAssignableFrom(returned));
    }

    /** Generic interfaces have methods that take and return less special types. */
    private static boolean isRelated(Class<?> one, Class<?> other) {
        return one.isAssignableFrom(other) || other.isAssignableFrom(one);
    }

    @Override
    @SuppressWarnings("unchecked") // it is an instance of the request's type
    @Nullable
    Object recorded(Activity here, Method method, Object[] arguments) throws Throwable {
        if (!replying.contains(method) || !chat.shape().requestType().isInstance(arguments[0])) {
            return call(method, arguments);
        }
        ChatRecording<R> recording = chat.start(here, (Q) arguments[0]);
        Object result = call(method, arguments, recording);
        return TracedFuture.observe(result, TracedFuture.declaredBy(method), recording.ofAny());
    }
}

package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Scope;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Stands for the handler that a model's client tells of its reply, on a thread of the client's: the reply or the failure
 * ends the recording before the handler is told, and anything before it is the first token. What the handler does lies in
 * what was current where the call was made.
 */
final class HandlerProxy<R> extends RecordingProxy implements CallRecording<Object> {
    private final Activity in;
    private final CallRecording<Object> recording;
    private final Runnable firstToken;
    private final Method reply;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();

    HandlerProxy(Class<?> type, Object handler, Class<?> replyType, Activity in, ChatRecording<R> recording) {
        super(type, handler);
        this.in = in;
        this.recording = recording.ofAny();
        this.firstToken = recording::firstToken;
        this.reply = ofReply(type, replyType).get(0);
    }

    /** Returns whether one method of the interface is told of a reply, and another of a failure. */
    static boolean mayHandle(Class<?> type, Class<?> replyType) {
        return type.isInterface()
                && ofReply(type, replyType).size() == 1
                && Arrays.stream(type.getMethods()).anyMatch(HandlerProxy::isOfFailure);
    }

    /** The methods that take that type or, where there is none, one that it may be. */
    private static List<Method> ofReply(Class<?> type, Class<?> replyType) {
        List<Method> single = Arrays.stream(type.getMethods())
                .filter(method -> method.getParameterCount() == 1 && !isOfFailure(method))
                .toList();
        List<Method> exact = single.stream()
                .filter(method -> method.getParameterTypes()[0] == replyType)
                .toList();
        return !exact.isEmpty()
                ? exact
                : single.stream()
                        .filter(method -> method.getParameterTypes()[0].isAssignableFrom(replyType))
                        .toList();
    }

    private static boolean isOfFailure(Method method) {
        return method.getParameterCount() == 1 && Throwable.class.isAssignableFrom(method.getParameterTypes()[0]);
    }

    @Override
    Activity activity() {
        return in;
    }

    @Override
    @Nullable
    Object recorded(Activity here, Method method, Object[] arguments) throws Throwable {
        if (isOfFailure(method) && arguments[0] instanceof Throwable error) {
            failed(error);
        } else if (isReply(method)) {
            returned(arguments[0]);
        } else if (arguments.length > 0 && !ended.get() && begun.compareAndSet(false, true)) {
            firstToken.run();
        }
        try (Scope scope = TracedModel.within(here)) {
            return call(method, arguments);
        }
    }

    private boolean isReply(Method method) {
        return method.getName().equals(reply.getName())
                && Arrays.equals(method.getParameterTypes(), reply.getParameterTypes());
    }

    @Override
    public void returned(@Nullable Object result) {
        if (ended.compareAndSet(false, true)) {
            recording.returned(result);
        }
    }

    @Override
    public void failed(Throwable error) {
        if (ended.compareAndSet(false, true)) {
            recording.failed(error);
        }
    }
}

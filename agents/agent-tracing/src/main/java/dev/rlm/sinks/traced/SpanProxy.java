package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.event.RunStatus;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Stands for an object, and records each call of a method as a span. What the method calls on its thread lies in that. */
final class SpanProxy extends RecordingProxy {
    private final Class<?> type;

    SpanProxy(Class<?> type, Object target) {
        super(type, target);
        this.type = type;
    }

    @Override
    @Nullable
    Object recorded(Activity here, Method method, Object[] arguments) throws Throwable {
        Span span = here.span(type.getSimpleName() + "." + method.getName());
        span.attribute("code.function.name", type.getName() + "." + method.getName());
        SpanRecording recording = new SpanRecording(span);
        Object result;
        try (Scope scope = span.makeCurrent()) {
            result = call(method, arguments, recording);
        }
        return TracedFuture.observe(result, TracedFuture.declaredBy(method), recording);
    }

    private record SpanRecording(Span span) implements CallRecording<Object> {
        @Override
        public void returned(@Nullable Object result) {
            span.close();
        }

        @Override
        public void failed(Throwable error) {
            span.fail(RunStatus.causeOf(error));
            span.close();
        }
    }
}

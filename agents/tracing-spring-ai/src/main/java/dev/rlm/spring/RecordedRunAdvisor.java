package dev.rlm.spring;

import dev.rlm.sinks.Scope;
import dev.rlm.sinks.traced.AgentCall;
import dev.rlm.sinks.traced.AgentRuns;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;

/** Makes runs of the calls of methods with {@link RecordedRun}. */
public final class RecordedRunAdvisor extends DefaultPointcutAdvisor {
    private static final long serialVersionUID = 1;

    /** Records in those runs, which are asked for when a method is called. */
    public RecordedRunAdvisor(ObjectProvider<AgentRuns> runs) {
        super(
                AnnotationMatchingPointcut.forMethodAnnotation(RecordedRun.class),
                (org.aopalliance.intercept.MethodInterceptor) invocation -> record(runs.getObject(), invocation));
    }

    private static @Nullable Object record(AgentRuns runs, MethodInvocation invocation) throws Throwable {
        RecordedRun annotation = invocation.getMethod().getAnnotation(RecordedRun.class);
        String name = annotation == null || annotation.value().isEmpty()
                ? invocation.getMethod().getName()
                : annotation.value();
        Object[] arguments = invocation.getArguments();
        AgentCall call = runs.start(name, arguments.length == 0 ? "" : String.valueOf(arguments[0]), spec -> {});
        try (Scope scope = call.open()) {
            Object result = invocation.proceed();
            if (result instanceof CompletionStage<?> later) {
                return later.whenComplete((value, error) -> end(call, value, error));
            }
            end(call, result, null);
            return result;
        } catch (Throwable e) {
            end(call, null, e);
            throw e;
        }
    }

    private static void end(AgentCall call, @Nullable Object result, @Nullable Throwable error) {
        if (error == null) {
            call.complete(result == null ? null : result.toString());
        } else {
            call.fail(error);
        }
    }
}

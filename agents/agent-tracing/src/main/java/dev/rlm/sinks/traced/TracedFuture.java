package dev.rlm.sinks.traced;

import java.lang.reflect.Method;
import java.lang.reflect.TypeVariable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A future that is completed as another one, right after its call was recorded: who waits for it finds the call in the run.
 * Completing or cancelling it does so to the other one.
 */
final class TracedFuture<R extends @Nullable Object> extends CompletableFuture<R> {
    private final CompletableFuture<R> original;

    private TracedFuture(CompletableFuture<R> original) {
        this.original = original;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nothing in it throws
    static <R extends @Nullable Object> CompletableFuture<R> of(
            CompletableFuture<R> original, CallRecording<? super R> recording) {
        TracedFuture<R> traced = new TracedFuture<>(original);
        original.whenComplete((result, error) -> {
            tell(recording, result, error);
            traced.follow(result, error);
        });
        return traced;
    }

    private static <R extends @Nullable Object> void tell(
            CallRecording<? super R> recording, @Nullable R result, @Nullable Throwable error) {
        if (error == null) {
            recording.returned(result);
        } else {
            recording.failed(error);
        }
    }

    private void follow(@Nullable R result, @Nullable Throwable error) {
        if (error == null) {
            super.complete(result);
        } else {
            super.completeExceptionally(error);
        }
    }

    /**
     * Tells of a result when it is there: at once, or when it completes. A stage of a class of its own is handed on as it
     * is, since the agent may rely on that class; who waits for it may be woken just before the call is recorded.
     *
     * @return what the agent is to be given for it
     */
    @SuppressWarnings("FutureReturnValueIgnored") // nothing in it throws, either
    static @Nullable Object observe(@Nullable Object result, Class<?> declared, CallRecording<Object> recording) {
        if (!(result instanceof CompletionStage<?> stage)) {
            recording.returned(result);
            return result;
        } else if (stage instanceof CompletableFuture<?> future && mayStandFor(future, declared)) {
            return of(future, recording);
        }
        stage.whenComplete((value, error) -> tell(recording, value, error));
        return stage;
    }

    private static boolean mayStandFor(CompletableFuture<?> future, Class<?> declared) {
        boolean isStage = Future.class.isAssignableFrom(declared) || CompletionStage.class.isAssignableFrom(declared);
        return future.getClass() == CompletableFuture.class
                || (isStage && declared.isAssignableFrom(TracedFuture.class));
    }

    /** Returns the class that the method's result certainly has: {@link Object} if its type is a variable. */
    static Class<?> declaredBy(Method method) {
        return method.getGenericReturnType() instanceof TypeVariable<?> ? Object.class : method.getReturnType();
    }

    @Override
    public boolean complete(R value) {
        return original.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
        return original.completeExceptionally(error);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return original.cancel(mayInterruptIfRunning);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return original.newIncompleteFuture();
    }

    @Override
    public Executor defaultExecutor() {
        return original.defaultExecutor();
    }
}

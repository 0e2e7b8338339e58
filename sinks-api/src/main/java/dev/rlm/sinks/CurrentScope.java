package dev.rlm.sinks;

import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Scope of the activity that is current on a thread: the one that was opened last there and is still open. */
final class CurrentScope implements Scope {
    private static final ThreadLocal<@Nullable CurrentScope> CURRENT = new ThreadLocal<>();

    private static final Activity NOTHING = new Activity() {};

    private final Activity activity;
    private final Scope inner;
    private final @Nullable CurrentScope outer = CURRENT.get();
    private final Thread thread = Thread.currentThread();
    private boolean closed;

    private CurrentScope(Activity activity, Scope inner) {
        this.activity = activity;
        this.inner = inner;
    }

    /** Makes the activity current on this thread. */
    static Scope open(Activity activity, Scope inner) {
        CurrentScope scope = new CurrentScope(activity, inner);
        CURRENT.set(scope);
        return scope;
    }

    /** Does work within what records it, and tells that how it was left: by what was thrown, which is thrown on, or {@code null}. */
    @SuppressWarnings("CatchThrowable") // and thrown on
    static <A extends Activity, T extends @Nullable Object, X extends Exception> T call(
            A activity, Activity.Computation<? super A, T, X> work, Consumer<@Nullable Throwable> leave) throws X {
        try (Scope current = activity.makeCurrent()) {
            T result = work.call(activity);
            leave.accept(null);
            return result;
        } catch (Throwable e) {
            leave.accept(e);
            throw e;
        }
    }

    /** Returns what is current on this thread; where nothing is, what records nothing. */
    static Activity activity() {
        CurrentScope scope = CURRENT.get();
        return scope == null ? NOTHING : scope.activity;
    }

    @Override
    public Optional<TraceContext> traceContext() {
        return inner.traceContext();
    }

    /** Makes current what was before it; what was opened on this thread is only ended on it. */
    @Override
    @SuppressWarnings("ReferenceEquality") // this very scope
    public void close() {
        if (closed || thread != Thread.currentThread()) {
            return;
        }
        closed = true;
        if (CURRENT.get() == this) {
            CURRENT.set(outer); // also null: a removed entry would have to be made again by the next scope
        }
        inner.close();
    }
}

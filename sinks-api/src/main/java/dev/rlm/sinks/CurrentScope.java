package dev.rlm.sinks;

import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;
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

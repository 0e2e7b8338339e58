package dev.rlm.sinks;

import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is current on a thread, in the sinks, in the log and for what is handed to other threads: that whose scope was
 * opened last and is still open.
 */
final class CurrentScope implements Scope {
    private static final ThreadLocal<@Nullable CurrentScope> CURRENT = new ThreadLocal<>();

    private final Activity activity;
    private final @Nullable CurrentScope outer = CURRENT.get();
    private final Thread thread = Thread.currentThread();
    private final Scope ofSinks;
    private final Scope ofLog;
    private boolean closed;

    private CurrentScope(Activity activity, LivePlace place) {
        this.activity = activity;
        ofSinks = place.openSinks();
        ofLog = LogContext.open(place.place(), ofSinks);
    }

    /** Makes the activity at that place current on this thread. */
    static Scope open(Activity activity, LivePlace place) {
        CurrentScope scope = new CurrentScope(activity, place);
        CURRENT.set(scope);
        return scope;
    }

    /** What is current on this thread; where nothing is, what records nothing. */
    static Activity activity() {
        CurrentScope scope = CURRENT.get();
        return scope == null ? NoSpan.INSTANCE : scope.activity;
    }

    @Override
    public Optional<TraceContext> traceContext() {
        return ofSinks.traceContext();
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
            CURRENT.set(outer); // also null: to remove it would have the next scope enter it anew
        }
        ofLog.close();
        ofSinks.close();
    }
}

package dev.rlm.sinks.core;

import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.TraceContext;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The runs of a hub that are open, and those that ended last. Safe for use by several threads. */
final class KnownRuns {
    private static final int REMEMBERED = 4_096;
    private static final long REMEMBERED_CHARACTERS = 17L << 20; // tasks may be whole books, and parameters too
    private static final int VALUE = 16; // an object takes about as much as so many characters
    private static final int LOOKS = 10; // for each heartbeat, so that it is late by a tenth at the most
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(1);
    private static final Duration SHORTEST_LOOK = Duration.ofMillis(10);

    private final Set<RunRecorder> open = ConcurrentHashMap.newKeySet();
    private final Map<String, RunRecorder> openById = new ConcurrentHashMap<>(); // of several the last to start
    private final Map<String, RunRecorder> ended = new LinkedHashMap<>(); // guards itself and the next
    private long characters;

    /** From now on has each open run say that it goes on, once an interval. */
    void beat(Duration interval, Ticker ticker) {
        long nanos = Ticker.nanos(interval);
        Duration look = Duration.ofNanos(nanos / LOOKS);
        look = look.compareTo(LONGEST_LOOK) > 0
                ? LONGEST_LOOK
                : look.compareTo(SHORTEST_LOOK) < 0 ? SHORTEST_LOOK : look;
        ticker.every(look, () -> open.forEach(run -> run.beat(nanos)));
    }

    void started(RunRecorder run) {
        open.add(run);
        openById.put(run.info().runId(), run);
    }

    void ended(RunRecorder run) {
        remember(run); // first: at no moment is it unknown
        openById.remove(run.info().runId(), run);
        open.remove(run);
    }

    private void remember(RunRecorder run) {
        synchronized (ended) {
            forget(ended.put(run.info().runId(), run));
            characters += characters(run.info());
            Iterator<RunRecorder> eldest = ended.values().iterator();
            while (ended.size() > REMEMBERED || (characters > REMEMBERED_CHARACTERS && ended.size() > 1)) {
                forget(eldest.next());
                eldest.remove();
            }
        }
    }

    private void forget(@Nullable RunRecorder run) {
        characters -= run == null ? 0 : characters(run.info());
    }

    /** About how much is kept of a run; the same whenever it is asked. */
    private static long characters(RunInfo run) {
        TraceContext parent = run.parent();
        return run.task().weight()
                + run.runId().length()
                + run.environment().length()
                + run.model().length()
                + run.correlation().toString().length()
                + (parent == null ? 0 : parent.toString().length())
                + characters(run.params())
                + characters(run.tags());
    }

    private static long characters(@Nullable Object value) {
        if (value instanceof String text) {
            return (long) VALUE + text.length();
        } else if (value instanceof Map<?, ?> map) {
            return characters(map.keySet()) + characters(map.values());
        } else if (value instanceof Collection<?> all) {
            return VALUE + all.stream().mapToLong(KnownRuns::characters).sum();
        }
        return VALUE;
    }

    /** Those that are open. It may be gone through while runs start and end. */
    Set<RunRecorder> open() {
        return open;
    }

    /** The run of that id, if it is open or was among the last to end. */
    Optional<RunRecorder> find(String runId) {
        return Optional.ofNullable(openById.get(runId)).or(() -> remembered(runId));
    }

    private Optional<RunRecorder> remembered(String runId) {
        synchronized (ended) {
            return Optional.ofNullable(ended.get(runId));
        }
    }
}

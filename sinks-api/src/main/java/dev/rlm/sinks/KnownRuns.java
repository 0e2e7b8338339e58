package dev.rlm.sinks;

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
    private static final long REMEMBERED_CHARACTERS = 16L << 20; // tasks may be whole books

    private final Set<LiveRun> open = ConcurrentHashMap.newKeySet();
    private final Map<String, LiveRun> ended = new LinkedHashMap<>(); // guards itself and the next
    private long characters;

    void started(LiveRun run) {
        open.add(run);
    }

    void ended(LiveRun run) {
        remember(run); // first: at no moment is it unknown
        open.remove(run);
    }

    private void remember(LiveRun run) {
        synchronized (ended) {
            forget(ended.put(run.info().runId(), run));
            characters += run.info().task().weight();
            Iterator<LiveRun> eldest = ended.values().iterator();
            while (ended.size() > REMEMBERED || (characters > REMEMBERED_CHARACTERS && ended.size() > 1)) {
                forget(eldest.next());
                eldest.remove();
            }
        }
    }

    private void forget(@Nullable LiveRun run) {
        characters -= run == null ? 0 : run.info().task().weight();
    }

    Set<LiveRun> open() {
        return open;
    }

    /** The run of that id, if it is open or was among the last to end. */
    Optional<LiveRun> find(String runId) {
        return open.stream()
                .filter(run -> run.info().runId().equals(runId))
                .findFirst()
                .or(() -> remembered(runId));
    }

    private Optional<LiveRun> remembered(String runId) {
        synchronized (ended) {
            return Optional.ofNullable(ended.get(runId));
        }
    }
}

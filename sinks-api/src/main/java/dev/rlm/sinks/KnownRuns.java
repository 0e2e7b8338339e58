package dev.rlm.sinks;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The runs of a hub that are open, and those that ended last. Safe for use by several threads. */
final class KnownRuns {
    private static final int REMEMBERED = 4_096;

    private final Set<LiveRun> open = ConcurrentHashMap.newKeySet();
    private final Map<String, LiveRun> ended = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, LiveRun> eldest) {
            return size() > REMEMBERED;
        }
    });

    void started(LiveRun run) {
        open.add(run);
    }

    void ended(LiveRun run) {
        ended.put(run.info().runId(), run); // first: at no moment is it unknown
        open.remove(run);
    }

    Set<LiveRun> open() {
        return open;
    }

    /** The run of that id, if it is open or was among the last to end. */
    Optional<LiveRun> find(String runId) {
        return open.stream()
                .filter(run -> run.info().runId().equals(runId))
                .findFirst()
                .or(() -> Optional.ofNullable(ended.get(runId)));
    }
}

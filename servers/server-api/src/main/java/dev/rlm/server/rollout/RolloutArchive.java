package dev.rlm.server.rollout;

import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.SpanRecorded;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rollouts in the journal: those of earlier gateways, and those that this one has forgotten. Safe for several threads. */
final class RolloutArchive {
    private static final Logger LOG = LoggerFactory.getLogger(RolloutArchive.class);
    private static final Set<Class<? extends RunEvent>> KINDS =
            Set.of(RunStarted.class, ModelCalled.class, SpanRecorded.class, RewardGiven.class, RunEnded.class);

    private final @Nullable Path folder;
    private final IndexCache cache;
    private final Predicate<RunInfo> counts;
    private final Set<String> forgotten = new HashSet<>(); // guarded by this, as are the next
    private final Map<String, List<RunSummary>> runs = new HashMap<>();
    private @Nullable Journal journal;

    /** Reads what there is of runs that count; nothing where no sink keeps its record in a journal. */
    RolloutArchive(@Nullable Path folder, IndexCache cache, Predicate<RunInfo> counts) {
        this.folder = folder;
        this.cache = cache;
        this.counts = counts;
        open();
    }

    private synchronized void open() {
        forgotten.clear();
        runs.clear();
        try {
            journal = folder != null && Journal.isAt(folder) ? Journal.open(folder, cache) : null;
        } catch (JournalException e) {
            LOG.warn("earlier rollouts are not known: {}", e.getMessage());
            journal = null;
        }
        for (RunSummary run : all()) {
            String id = run.row().run().correlation().rollout();
            if (id != null && counts.test(run.row().run())) {
                runs.computeIfAbsent(id, any -> new ArrayList<>()).add(run);
            }
        }
    }

    private List<RunSummary> all() {
        return journal == null ? List.of() : journal.withParts(journal.runs());
    }

    /** Says that it is known nowhere else any more. */
    synchronized void forgotten(String id) {
        forgotten.add(id);
    }

    /** The state that the journal tells, of that job's rollout or of the newest; {@code null} where it knows nothing of it. */
    synchronized @Nullable RolloutState load(String rollout, @Nullable String job) {
        if (forgotten.contains(rollout)) {
            open();
        }
        return state(runs.getOrDefault(rollout, List.of()), job);
    }

    /** The same as the journal is now. */
    synchronized @Nullable RolloutState reload(String rollout, @Nullable String job) {
        open();
        return state(runs.getOrDefault(rollout, List.of()), job);
    }

    /** The same of runs that do not count. */
    synchronized @Nullable RolloutState ofOthers(String rollout, @Nullable String job) {
        return state(
                all().stream()
                        .filter(run ->
                                rollout.equals(run.row().run().correlation().rollout()))
                        .toList(),
                job);
    }

    /** The state that a run of that id alone tells, as the journal is now; {@code null} where there is none. */
    synchronized @Nullable RolloutState ofRun(String runId) {
        open();
        RunSummary run = journal == null ? null : journal.find(runId);
        return run == null ? null : state(List.of(run), null);
    }

    /** Returns whether what memory has no room for can be read here. */
    boolean hasJournal() {
        return folder != null;
    }

    /** Returns the calls in their order, those that memory does not have as the journal has them now; without those that neither has. */
    synchronized List<ModelCalled> whole(List<LastCall> calls) {
        Map<LastCall, ModelCalled> found = new HashMap<>();
        boolean all = calls.stream().allMatch(call -> call.whole() != null);
        try {
            if (!all) {
                open();
            }
            if (!all && journal != null) {
                List<RunSummary> of = calls.stream()
                        .filter(call -> call.whole() == null)
                        .map(LastCall::runId)
                        .distinct()
                        .map(journal::find)
                        .filter(Objects::nonNull)
                        .toList();
                journal.read(
                        of,
                        Set.of(ModelCalled.class),
                        (run, events) -> events.stream()
                                .filter(ModelCalled.class::isInstance)
                                .map(ModelCalled.class::cast)
                                .forEach(call -> found.put(LastCall.of(call).withoutTexts(), call)));
            }
        } catch (JournalException e) {
            LOG.warn("calls of a rollout cannot be read from the journal: {}", e.getMessage());
        }
        return calls.stream()
                .map(call -> call.whole() == null ? found.get(call) : call.whole())
                .filter(Objects::nonNull)
                .toList();
    }

    private @Nullable RolloutState state(List<RunSummary> ofRollout, @Nullable String job) {
        List<RunSummary> found = new ArrayList<>(ofRollout);
        found.sort(Comparator.comparing(RunSummary::startedAt));
        String whose = job == null && !found.isEmpty()
                ? RolloutIds.job(found.get(found.size() - 1).row().run())
                : job;
        found.removeIf(run -> !RolloutIds.job(run.row().run()).equals(whose));
        if (found.isEmpty() || journal == null) {
            return null;
        }
        List<RunEvent> events = new ArrayList<>();
        try {
            journal.read(found, KINDS, (run, all) -> events.addAll(all));
        } catch (JournalException e) {
            LOG.warn("a rollout cannot be read from the journal: {}", e.getMessage());
            return null;
        }
        events.sort(Comparator.comparing(RunEvent::time)); // stable: of each run they are in order
        RolloutState state = null;
        for (RunEvent event : events) {
            state = RolloutState.after(state, event);
        }
        return state;
    }
}

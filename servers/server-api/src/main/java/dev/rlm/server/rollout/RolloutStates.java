package dev.rlm.server.rollout;

import dev.rlm.server.http.Access;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.GatewayRuns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The states of rollouts, for those who ask over HTTP: a sink, so that they are told without secrets, and as the journal
 * would tell them. Ended ones are forgotten for their size and read from the journal again. Safe for use by several threads.
 */
final class RolloutStates implements Sink {
    private static final int MAX_ENDED = 4_096;
    private static final long MAX_WEIGHT = Runtime.getRuntime().maxMemory() / 8;

    private final RolloutArchive archive;
    private final Predicate<RunInfo> counts;
    private final Map<String, RolloutState> states = new LinkedHashMap<>(); // by key; guarded by this, as are the next
    private final Set<String> jobs = new HashSet<>();
    private final Set<String> ended = new LinkedHashSet<>();
    private long endedWeight;
    private long texts; // weight of what the calls of all say

    /** Those that the archive tells, and those of runs that count. */
    RolloutStates(RolloutArchive archive, Predicate<RunInfo> counts) {
        this.archive = archive;
        this.counts = counts;
    }

    /** A flush of what keeps the record reaches it too: so what was answered is known here. */
    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public void onEvent(Event event) {
        if (event instanceof RunEvent one && one.run().correlation().rollout() != null && counts.test(one.run())) {
            add(one.run().correlation().rollout(), RolloutIds.job(one.run()), one);
        }
    }

    private synchronized void add(String rollout, String job, RunEvent event) {
        String id = RolloutIds.key(job, rollout);
        jobs.add(job);
        RolloutState before = states.get(id);
        if (before == null) {
            before = archive.load(rollout, job);
        }
        RolloutState after = RolloutState.after(before, event);
        if (after == null) {
            return;
        }
        if (ended.remove(id) && before != null) {
            endedWeight -= before.weight();
        }
        RolloutState replaced = states.remove(id);
        states.put(id, after); // behind those that are silent for longer
        texts += after.textWeight() - (replaced == null ? 0 : replaced.textWeight());
        if (after.end() != null) {
            ended.add(id);
            endedWeight += after.weight();
            forgetOldest();
        }
        makeRoom();
        notifyAll();
    }

    /** Leaves to the journal what the calls of those say that are silent for longest. */
    private void makeRoom() {
        Iterator<Map.Entry<String, RolloutState>> eldest = states.entrySet().iterator();
        while (texts > MAX_WEIGHT && archive.hasJournal() && eldest.hasNext()) {
            Map.Entry<String, RolloutState> silent = eldest.next();
            long saved = silent.getValue().textWeight();
            if (saved > 0) {
                texts -= saved;
                endedWeight -= ended.contains(silent.getKey()) ? saved : 0;
                silent.setValue(silent.getValue().withoutTexts());
            }
        }
    }

    /** Returns the last calls of a rollout's conversations, the newest first. */
    List<ModelCalled> lastCalls(RolloutState state) {
        return archive.whole(state.lastCalls().newestFirst());
    }

    private void forgetOldest() {
        while (ended.size() > MAX_ENDED || (endedWeight > MAX_WEIGHT && ended.size() > 1)) {
            String oldest = ended.iterator().next();
            ended.remove(oldest);
            RolloutState gone = states.remove(oldest);
            if (gone != null) {
                endedWeight -= gone.weight();
                texts -= gone.textWeight();
                archive.forgotten(gone.ids().rollout(""));
            }
        }
    }

    /** Returns the state of a job's rollout, of the newest one for {@link Access#ALL}; {@code null} if nothing is known of it. */
    @Nullable
    RolloutState get(String job, String rollout) {
        RolloutState known = inMemory(job, rollout);
        return known == null ? archive.load(rollout, job.equals(Access.ALL) ? null : job) : known;
    }

    /** Returns the same as the journal tells it now. */
    @Nullable
    RolloutState reload(String job, String rollout) {
        return archive.reload(rollout, job.equals(Access.ALL) ? null : job);
    }

    /** Returns the same also of runs that do not count, such as those of another program. */
    @Nullable
    RolloutState reloadAll(String job, String rollout) {
        RolloutState counting = reload(job, rollout);
        return counting == null ? archive.ofOthers(rollout, job.equals(Access.ALL) ? null : job) : counting;
    }

    /**
     * Returns the state that the run whose calls a rollout's own run records tells, as the journal is now; {@code null} where that is
     * none, or is not there.
     */
    @Nullable
    RolloutState caller(RolloutState state) {
        String id = GatewayRuns.caller(state.run());
        RolloutState caller = id == null ? null : archive.ofRun(id);
        return caller != null && GatewayRuns.isPart(state.run(), caller.run()) ? caller : null;
    }

    private synchronized @Nullable RolloutState inMemory(String job, String rollout) {
        Set<String> whose = job.equals(Access.ALL) ? jobs : Set.of(job);
        RolloutState newest = null;
        for (String each : whose) {
            RolloutState one = states.get(RolloutIds.key(each, rollout));
            newest = newest == null || (one != null && one.heardAt().isAfter(newest.heardAt())) ? one : newest;
        }
        return newest;
    }

    /** The states that are in memory and that a job may see, the newest first. */
    synchronized List<RolloutState> recent(String job) {
        List<RolloutState> all = new ArrayList<>(states.values());
        all.removeIf(each -> !job.equals(Access.ALL) && !job.equals(each.ids().job()));
        all.sort((one, other) -> other.heardAt().compareTo(one.heardAt()));
        return all;
    }

    /** Waits until the state of a rollout is as expected, so long at the most; the state then. */
    @Nullable
    RolloutState await(String job, String rollout, Predicate<@Nullable RolloutState> expected, Duration time)
            throws InterruptedException {
        long until = System.nanoTime() + time.toNanos();
        RolloutState first = get(job, rollout); // it may be in the journal alone
        synchronized (this) {
            for (long left = time.toMillis(); ; left = (until - System.nanoTime()) / 1_000_000) {
                RolloutState now = inMemory(job, rollout);
                RolloutState state = now == null ? first : now;
                if (expected.test(state) || left <= 0) {
                    return state;
                }
                wait(left);
            }
        }
    }
}

package dev.rlm.gateway;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEvent;
import java.time.Duration;
import java.util.ArrayList;
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
    /** The environment of the gateway's runs. */
    static final String ENVIRONMENT = "gateway";

    private static final int MAX_ENDED = 4_096;
    private static final long MAX_WEIGHT = Runtime.getRuntime().maxMemory() / 8;

    private final RolloutArchive archive;
    private final Map<String, RolloutState> states = new LinkedHashMap<>(); // guarded by this, as are the next
    private final Set<String> ended = new LinkedHashSet<>();
    private long endedWeight;

    RolloutStates(RolloutArchive archive) {
        this.archive = archive;
    }

    /** A flush of what keeps the record reaches it too: so what was answered is known here. */
    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public void onEvent(Event event) {
        if (event instanceof RunEvent one && one.run().environment().equals(ENVIRONMENT)) {
            String id = one.run().correlation().rollout();
            if (id != null) {
                add(id, one);
            }
        }
    }

    private synchronized void add(String id, RunEvent event) {
        RolloutState before = states.get(id);
        if (before == null) {
            before = archive.load(id);
        }
        RolloutState after = RolloutState.after(before, event);
        if (after == null) {
            return;
        }
        if (ended.remove(id) && before != null) {
            endedWeight -= before.weight();
        }
        states.put(id, after);
        if (after.end() != null) {
            ended.add(id);
            endedWeight += after.weight();
            forgetOldest();
        }
        notifyAll();
    }

    private void forgetOldest() {
        while (ended.size() > MAX_ENDED || (endedWeight > MAX_WEIGHT && ended.size() > 1)) {
            String oldest = ended.iterator().next();
            ended.remove(oldest);
            RolloutState gone = states.remove(oldest);
            endedWeight -= gone == null ? 0 : gone.weight();
            archive.forgotten(oldest);
        }
    }

    /** The state of a rollout; {@code null} where nothing is known of it. */
    @Nullable
    RolloutState get(String id) {
        synchronized (this) {
            RolloutState known = states.get(id);
            if (known != null) {
                return known;
            }
        }
        return archive.load(id);
    }

    /** The states that are in memory, the newest first. */
    synchronized List<RolloutState> recent() {
        List<RolloutState> all = new ArrayList<>(states.values());
        all.sort((one, other) -> other.heardAt().compareTo(one.heardAt()));
        return all;
    }

    /** Waits until the state of a rollout is as expected, so long at the most; the state then. */
    @Nullable
    RolloutState await(String id, Predicate<@Nullable RolloutState> expected, Duration time)
            throws InterruptedException {
        long until = System.nanoTime() + time.toNanos();
        RolloutState first = get(id); // it may be in the journal alone
        if (expected.test(first)) {
            return first;
        }
        synchronized (this) {
            RolloutState state = states.getOrDefault(id, first);
            long left = time.toMillis();
            while (!expected.test(state) && left > 0) {
                wait(left);
                state = states.getOrDefault(id, first);
                left = (until - System.nanoTime()) / 1_000_000;
            }
            return state;
        }
    }
}

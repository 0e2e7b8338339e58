package dev.rlm.cli.rollout;

import dev.rlm.cli.RecordPlaces;
import dev.rlm.cli.http.Access;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.index.IndexCache;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rollouts that go on, each with the run that records its attempt. Safe for use by several threads. */
public final class Rollouts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Rollouts.class);

    private final Sinks sinks;
    private final RolloutStates states;
    private final Duration idleTimeout;
    private final String unnamed = "unnamed-" + RunSpec.builder("-").build().runId();
    private final Map<String, LiveRollout> live = new HashMap<>(); // by their key; guarded by this, as is the next
    private final Set<LiveRollout> unfinished =
            new HashSet<>(); // also those that another attempt has taken the place of
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "rlm-rollouts-idle");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Reads what there is in the journal, and hears of what the sinks are given.
     *
     * @param config says where the journal is, and what speeds it up
     * @param all whether runs count that the sinks are given besides, where they name a rollout
     * @param idleTimeout after which a rollout of which nothing is heard has ended
     */
    public Rollouts(Sinks sinks, SinkConfig config, boolean all, Duration idleTimeout) {
        this.sinks = sinks;
        this.idleTimeout = idleTimeout;
        Path journal = Journal.configured(config).toAbsolutePath().normalize();
        Predicate<RunInfo> counts = run -> all || RolloutState.isOwn(run);
        Path folder = RecordPlaces.areIn(journal, sinks) ? journal : null;
        states = new RolloutStates(new RolloutArchive(folder, IndexCache.configured(config), counts), counts);
        sinks.add("rollouts", states);
        var unused = watch.scheduleWithFixedDelay(this::endIdle, 1, 1, TimeUnit.SECONDS);
    }

    RolloutStates states() {
        return states;
    }

    Duration idleTimeout() {
        return idleTimeout;
    }

    /**
     * Returns the rollout that goes on; a new attempt where there is none, or the one before has ended.
     *
     * @param headers of a request, among them what joins the run to a trace
     */
    public synchronized LiveRollout open(RolloutIds given, String model, String task, Map<String, String> headers) {
        LiveRollout known = live(given);
        RolloutIds ids = known == null ? owned(given) : given;
        known = known == null ? live(ids) : known;
        if (known != null) {
            known.learn(ids);
            return known;
        }
        String id = ids.rollout(unnamed);
        RolloutState before = states.get(ids.job(), id);
        RunSpec.Builder spec = RunSpec.builder(RolloutState.ENVIRONMENT);
        RolloutState continued = before == null || before.isOver() ? null : before;
        if (continued != null) {
            spec.param(RolloutState.CONTINUES, continued.run().runId());
        }
        ids.into(spec.model(model).task(task).parent(headers), id, 1 + lastAttempt(before));
        LiveRollout made = new LiveRollout(sinks.startRun(spec.build()), ids, false);
        if (continued != null) {
            made.learn(continued.ids());
        }
        return keep(ids, made);
    }

    private static int lastAttempt(@Nullable RolloutState state) {
        Integer last = state == null ? null : state.run().correlation().attempt();
        return last == null ? 0 : last;
    }

    /** Returns what takes the logs of a rollout whose run others record. */
    private synchronized LiveRollout beside(RolloutIds ids, RolloutState state) {
        LiveRollout known = live(ids);
        if (known != null) {
            return known;
        }
        RunSpec.Builder spec = RunSpec.builder(RolloutState.ENVIRONMENT)
                .param(RolloutState.LOGS_OF, state.run().runId());
        ids.into(spec, ids.rollout(unnamed), Math.max(1, lastAttempt(state)));
        LiveRollout made = new LiveRollout(sinks.startRun(spec.build()), ids, true);
        return keep(ids, made);
    }

    private LiveRollout keep(RolloutIds ids, LiveRollout made) {
        live.put(ids.key(unnamed), made);
        unfinished.add(made);
        return made;
    }

    private @Nullable LiveRollout live(RolloutIds ids) {
        LiveRollout known = unfinished(ids);
        return known != null && known.isOpen() ? known : null;
    }

    /** Returns the last attempt, whose end may be told already while a call is under way. */
    private synchronized @Nullable LiveRollout unfinished(RolloutIds ids) {
        LiveRollout known = live.get(ids.key(unnamed));
        return known != null && !known.isFinished() ? known : null;
    }

    /** Lets the token that sees all go on with the rollouts of jobs. */
    private RolloutIds owned(RolloutIds ids) {
        RolloutState known = ids.job().equals(Access.ALL) ? states.get(Access.ALL, ids.rollout(unnamed)) : null;
        return known == null ? ids : new RolloutIds(known.ids().job(), ids.values());
    }

    /**
     * Records a line of a rollout's log. A final status ends the attempt; one that says that it runs begins another where the
     * one before has ended.
     */
    void log(RolloutIds given, LogEntry entry) {
        RolloutIds ids = owned(given);
        Integer code = entry.code();
        RolloutState before = states.get(ids.job(), ids.rollout(unnamed));
        boolean again = code != null && code == RunStatus.RUNNING && before != null && before.isOver();
        LiveRollout rollout;
        if (before != null && !RolloutState.isOwn(before.run()) && !again) {
            rollout = beside(ids, before);
        } else if (before != null && before.isOver() && !again && live(ids) == null) {
            LiveRollout ending = unfinished(ids);
            if (ending == null || !ending.log(entry)) {
                logLate(before, entry);
            }
            return;
        } else {
            rollout = open(ids, "", "", Map.of());
        }
        var unused = rollout.log(entry);
        if (entry.isFinal() && code != null) {
            String message =
                    entry.status() == null ? "" : entry.status().path("message").stringValue("");
            rollout.end(new LiveRollout.Ending(code, message, entry.reward(), entry.terminationReason()));
            forgetEnded();
        }
    }

    /** Records a line that comes after the end with the run that has ended. */
    private void logLate(RolloutState state, LogEntry entry) {
        if (state.end() == null) {
            // A kill came between the final line and the run's end, which is recovery's now.
            LOG.warn("a line that came after the end of its rollout is not kept");
            return;
        }
        long nanos = state.run().nanosTo(Instant.now());
        long seq = state.end().seq() + 1 + state.logs().size();
        sinks.publish(new SpanRecorded(state.run(), seq, nanos, 0, nanos, LogEntry.SPAN, 0, entry.attributes(), null));
    }

    /** Ends the attempt of a rollout; whether there was one that was open. */
    public boolean end(RolloutIds given, LiveRollout.Ending ending) {
        RolloutIds ids = owned(given);
        RolloutState before = states.get(ids.job(), ids.rollout(unnamed));
        if (before != null && !RolloutState.isOwn(before.run())) {
            return false;
        }
        LiveRollout rollout = live(ids);
        if (rollout == null && before != null && !before.isOver()) {
            rollout = open(before.ids(), before.run().model(), "", Map.of()); // of a process that has ended
        }
        if (rollout == null) {
            return false;
        }
        rollout.endNow(ending);
        forgetEnded();
        return true;
    }

    private synchronized void forgetEnded() {
        live.values().removeIf(LiveRollout::isFinished);
        unfinished.removeIf(LiveRollout::isFinished);
    }

    private void endIdle() {
        try {
            all(rollout -> rollout.endIfIdle(idleTimeout));
        } catch (RuntimeException e) { // or it would be called no more
            LOG.warn("idle rollouts were not ended: {}", e.toString());
        }
    }

    /**
     * Ends all: those whose last reply was an answer have come to their end.
     *
     * @param reason of that end
     * @param otherwise why the others are aborted
     */
    public void conclude(String reason, String otherwise) {
        all(rollout -> rollout.conclude(reason, otherwise));
    }

    private void all(Consumer<LiveRollout> action) {
        List<LiveRollout> all;
        synchronized (this) {
            all = List.copyOf(unfinished);
        }
        all.forEach(action);
        forgetEnded();
    }

    /** Stops all: they may go on with the next process. */
    @Override
    public void close() {
        watch.shutdownNow();
        all(rollout -> rollout.close(new LiveRollout.Ending(RunStatus.CANCELLED, RolloutState.STOPPED, null, null)));
    }
}

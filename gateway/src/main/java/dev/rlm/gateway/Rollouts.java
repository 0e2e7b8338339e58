package dev.rlm.gateway;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** The rollouts that go on, each with the run that records its attempt. Safe for use by several threads. */
final class Rollouts {
    private static final Logger LOG = LoggerFactory.getLogger(Rollouts.class);

    private final Sinks sinks;
    private final RolloutStates states;
    private final Naming naming;
    private final Duration idleTimeout;
    private final String unnamed = "unnamed-" + RunSpec.builder("-").build().runId();
    private final Map<String, LiveRollout> live = new HashMap<>(); // guarded by this

    Rollouts(Sinks sinks, RolloutStates states, Naming naming, Duration idleTimeout) {
        this.sinks = sinks;
        this.states = states;
        this.naming = naming;
        this.idleTimeout = idleTimeout;
    }

    /** The rollout of a call; a new attempt where the one before has ended. */
    LiveRollout of(RolloutIds ids, ObjectNode chat, String model, Map<String, String> headers) {
        return open(naming.of(ids, chat), model, LiveRollout.task(chat), headers);
    }

    /** Returns the rollout that goes on; a new attempt where there is none, or the one before has ended. */
    synchronized LiveRollout open(RolloutIds ids, String model, String task, Map<String, String> headers) {
        String id = ids.rollout(unnamed);
        LiveRollout known = live.get(id);
        if (known != null && known.isOpen()) {
            known.learn(ids);
            return known;
        }
        RolloutState before = states.get(id);
        Integer last = before == null ? null : before.run().correlation().attempt();
        RunSpec.Builder spec = RunSpec.builder(RolloutStates.ENVIRONMENT)
                .model(model)
                .task(task)
                .correlation(ids.correlation(id, last == null ? 1 : last + 1))
                .parent(headers);
        if (before != null && !before.isOver()) {
            spec.param(RolloutState.CONTINUES, before.run().runId());
        }
        Run run = sinks.startRun(spec.build());
        LiveRollout made = new LiveRollout(run, ids, before != null && !before.isOver() ? before.ids() : ids);
        live.put(id, made);
        return made;
    }

    /**
     * Records a line of a rollout's log. A final status ends the attempt; one that says that it runs begins another where the
     * one before has ended.
     */
    void log(RolloutIds ids, LogEntry entry) {
        String id = ids.rollout(unnamed);
        Integer code = entry.code();
        RolloutState before = isLive(id) ? null : states.get(id);
        if (before != null && before.isOver() && (code == null || code != RunStatus.RUNNING)) {
            logLate(before, entry);
            return;
        }
        LiveRollout rollout = open(ids, "", "", Map.of());
        rollout.log(entry);
        if (entry.isFinal() && code != null) {
            String message =
                    entry.status() == null ? "" : entry.status().path("message").stringValue("");
            rollout.end(new Ending(code, message, entry.reward(), entry.terminationReason()));
            forget(id, rollout);
        }
    }

    private synchronized boolean isLive(String id) {
        LiveRollout known = live.get(id);
        return known != null && known.isOpen();
    }

    /** Records a line that comes after the end with the run that has ended. */
    private void logLate(RolloutState state, LogEntry entry) {
        RunEnded end = state.end();
        if (end == null) {
            // A kill came between the final line and the run's end, which is recovery's now.
            LOG.warn("a line that came after the end of its rollout is not kept");
            return;
        }
        long nanos = state.run().nanosTo(Instant.now());
        long seq = end.seq() + 1 + state.logs().size();
        sinks.publish(new SpanRecorded(state.run(), seq, nanos, 0, nanos, LogEntry.SPAN, 0, entry.attributes(), null));
    }

    /** Ends the attempt of a rollout; whether there was one that was open. */
    boolean end(String id, Ending ending) {
        LiveRollout rollout;
        synchronized (this) {
            rollout = live.get(id);
        }
        RolloutState before = states.get(id);
        if (rollout == null && before != null && !before.isOver()) {
            rollout = open(before.ids(), before.run().model(), "", Map.of()); // of a gateway that has ended
        }
        if (rollout == null || !rollout.isOpen()) {
            return false;
        }
        rollout.end(ending);
        forget(id, rollout);
        return true;
    }

    private synchronized void forget(String id, LiveRollout rollout) {
        live.remove(id, rollout);
    }

    /** Ends the rollouts of which nothing was heard for long. */
    void endIdle() {
        all().forEach((id, rollout) -> {
            if (rollout.endIfIdle(idleTimeout)) {
                forget(id, rollout);
            }
        });
    }

    /**
     * Ends all: those whose last reply was an answer have come to their end.
     *
     * @param reason of that end
     * @param otherwise why the others are aborted
     */
    void conclude(String reason, String otherwise) {
        all().forEach((id, rollout) -> {
            rollout.conclude(reason, otherwise);
            forget(id, rollout);
        });
    }

    private synchronized Map<String, LiveRollout> all() {
        return new HashMap<>(live);
    }

    /** Stops all: they may go on with the next gateway. */
    void stop() {
        List<LiveRollout> all;
        synchronized (this) {
            all = new ArrayList<>(live.values());
            live.clear();
        }
        all.forEach(LiveRollout::stop);
    }

    /** Rule that tells which rollout a call belongs to. Safe for use by several threads. */
    interface Naming {
        /** As the call says. */
        Naming GIVEN = (ids, chat) -> ids;

        /** Returns the ids of a call that gives those, and whose request is that as one for chat completions. */
        RolloutIds of(RolloutIds given, ObjectNode chat);
    }

    /**
     * Description of an attempt's end.
     *
     * @param code one of {@link RunStatus}'s or a trainer's own
     * @param reward {@code null} where none is given
     * @param reason such as {@code stop}; {@code null} where none is told
     */
    record Ending(
            int code,
            String message,
            @Nullable Double reward,
            @Nullable String reason) {}
}

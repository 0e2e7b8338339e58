package dev.rlm.server.rollout;

import dev.rlm.cli.RecordPlaces;
import dev.rlm.cli.Shell;
import dev.rlm.journal.Journal;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.server.http.Access;
import dev.rlm.server.http.RefusedException;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.schema.GatewayRuns;
import dev.rlm.sinks.schema.LateEvents;
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

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Sinks sinks;
    private final List<String> command;
    private final @Nullable RunRewards others;
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
     * @param command that makes the calls, after whose program the runs are called; empty where it is not known
     * @param idleTimeout after which a rollout of which nothing is heard has ended
     */
    public Rollouts(Sinks sinks, SinkConfig config, List<String> command, Duration idleTimeout) {
        this(sinks, config, command, null, idleTimeout);
    }

    /** Makes those of all runs that the sinks are given and that name a rollout; others give rewards to theirs. */
    public Rollouts(Sinks sinks, SinkConfig config, RunRewards others, Duration idleTimeout) {
        this(sinks, config, List.of(), others, idleTimeout);
    }

    private Rollouts(
            Sinks sinks, SinkConfig config, List<String> command, @Nullable RunRewards others, Duration idleTimeout) {
        this.sinks = sinks;
        this.command = command;
        this.others = others;
        this.idleTimeout = idleTimeout;
        Path journal = Journal.configured(config).toAbsolutePath().normalize();
        Predicate<RunInfo> counts = run -> others != null || RolloutState.isOwn(run);
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
        RunSpec.Builder spec = spec();
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

    private RunSpec.Builder spec() {
        if (command.isEmpty()) {
            return RunSpec.builder(RolloutState.ENVIRONMENT);
        }
        String name = command.get(0).replaceFirst("^.*/(?=.)", "");
        return RunSpec.builder(name).param(RolloutState.COMMAND, Shell.line(command));
    }

    /** Returns what makes a run of that rollout a child of the run of that id, which is of it too. */
    private static TraceContext calledBy(@Nullable String runId, String rollout) {
        return runId == null ? TraceContext.NONE : TraceContext.NONE.withRun(runId, rollout);
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
        String id = ids.rollout(unnamed);
        ids.into(spec.parent(calledBy(state.run().runId(), id)), id, Math.max(1, lastAttempt(state)));
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
     * one before has ended. The reward of a line that ends the attempt, or comes after that, is the run's.
     *
     * @throws RefusedException if the run takes no reward; then the line is not recorded either
     */
    void log(RolloutIds given, LogEntry entry) throws RefusedException {
        RolloutIds ids = owned(given);
        Integer code = entry.code();
        RolloutState known = states.get(ids.job(), ids.rollout(unnamed));
        RolloutState before =
                known == null && entry.reward() != null ? states.reload(ids.job(), ids.rollout(unnamed)) : known;
        boolean again = code != null && code == RunStatus.RUNNING && before != null && before.isOver();
        boolean beside = before != null && !RolloutState.isOwn(before.run()) && !again;
        LiveRollout rollout;
        if (before != null && beside) {
            if (entry.isFinal() || before.isOver()) {
                rewardLate(ids, before, entry);
            }
            rollout = beside(ids, before);
        } else if (before != null && before.isOver() && !again && live(ids) == null) {
            rewardLate(ids, before, entry);
            LiveRollout ending = unfinished(ids);
            if (ending == null || !ending.log(entry)) {
                logLate(before, entry);
            }
            return;
        } else {
            rollout = open(
                    ids, "", "", calledBy(entry.toldOf(), ids.rollout(unnamed)).toMap());
        }
        var unused = rollout.log(entry);
        if (entry.isFinal() && code != null) {
            String message =
                    entry.status() == null ? "" : entry.status().path("message").stringValue("");
            Double reward = beside ? null : entry.reward(); // else it is the other run's
            rollout.end(new LiveRollout.Ending(code, message, reward, entry.terminationReason()));
            forgetEnded();
        }
    }

    /** Gives the run the reward of a line, unless the line tells again what the run has. */
    private void rewardLate(RolloutIds ids, RolloutState state, LogEntry entry) throws RefusedException {
        Double reward = entry.reward();
        String told = entry.toldOf();
        boolean known =
                told != null && (told.equals(state.run().runId()) || told.equals(GatewayRuns.caller(state.run())));
        if (reward != null && !reward.equals(state.reward()) && !known) {
            rewardLate(ids, state, reward);
        }
    }

    /** Gives a reward to the run of an attempt that is over, or that others record. */
    private void rewardLate(RolloutIds ids, RolloutState state, double value) throws RefusedException {
        RolloutState caller = states.caller(state);
        if (caller != null) {
            publish(caller.end() == null ? ended(ids, caller) : caller, value);
        }
        RunInfo run = state.run();
        LiveRollout ending = RolloutState.isOwn(run) ? unfinished(ids) : null;
        boolean given = ending != null
                ? ending.reward(value)
                : state.end() == null && others != null && others.give(run.runId(), LiveRollout.REWARD, value);
        if (!given) {
            publish(state.end() == null ? ended(ids, state) : state, value);
        }
    }

    /** Waits for what is under way, and looks for the end that another process, or a recovery, has recorded. */
    private RolloutState ended(RolloutIds ids, RolloutState state) throws RefusedException {
        var unused = sinks.flushDurable(PATIENCE);
        String run = state.run().runId();
        RolloutState heard = states.get(ids.job(), ids.rollout(unnamed));
        RolloutState now = isEndOf(run, heard) ? heard : states.reloadAll(ids.job(), ids.rollout(unnamed));
        if (now == null || !isEndOf(run, now)) {
            throw new RefusedException(
                    409, "run " + run + " has not ended: until then its rewards are for the process that records it");
        }
        return now;
    }

    private static boolean isEndOf(String run, @Nullable RolloutState state) {
        return state != null && state.end() != null && state.run().runId().equals(run);
    }

    /** Records a reward with a run that has ended, unless it has that. */
    private void publish(RolloutState state, double value) {
        if (!state.rewards().has(RunEvent.NO_STEP, LiveRollout.REWARD, value)) {
            long nanos = state.run().nanosTo(Instant.now());
            sinks.publish(RewardGivenBuilder.builder()
                    .run(state.run())
                    .seq(LateEvents.seq(RunEvent.NO_STEP, LiveRollout.REWARD, value))
                    .nanos(nanos)
                    .step(RunEvent.NO_STEP)
                    .source(LiveRollout.REWARD)
                    .value(value)
                    .startNanos(nanos)
                    .build());
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
        sinks.publish(new SpanRecorded(
                state.run(),
                LateEvents.next(state.run()),
                nanos,
                0,
                nanos,
                LogEntry.SPAN,
                0,
                entry.attributes(),
                null,
                null));
    }

    /** Ends the attempt of a rollout; whether there was one that was open. */
    public boolean end(RolloutIds given, LiveRollout.Ending ending) {
        RolloutIds ids = owned(given);
        RolloutState before = states.get(ids.job(), ids.rollout(unnamed));
        boolean own = before == null || (RolloutState.isOwn(before.run()) && states.caller(before) == null);
        LiveRollout rollout = own ? live(ids) : null;
        if (own && rollout == null && before != null && !before.isOver()) {
            TraceContext parent = before.run().parent(); // of a process that has ended
            rollout = open(before.ids(), before.run().model(), "", parent == null ? Map.of() : parent.toMap());
        }
        if (rollout == null) {
            return false;
        }
        rollout.endNow(ending);
        forgetEnded();
        return true;
    }

    /**
     * Gives a reward to a rollout whose last attempt is over; whether there is one.
     *
     * @throws RefusedException if its run takes none
     */
    boolean reward(RolloutIds given, double value) throws RefusedException {
        RolloutIds ids = owned(given);
        RolloutState known = states.get(ids.job(), ids.rollout(unnamed));
        RolloutState state = known == null ? states.reloadAll(ids.job(), ids.rollout(unnamed)) : known;
        boolean over = state != null && state.isOver();
        if (state != null && over) {
            rewardLate(ids, state, value);
        }
        return over;
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

package dev.rlm.runner.serve;

import dev.rlm.engine.AttemptHistory;
import dev.rlm.runner.episode.Episode;
import dev.rlm.runner.episode.Rollout;
import dev.rlm.sinks.rollout.RolloutGateway;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Attempt at a rollout that a trainer has asked for, from the request to its run's end. Safe for use by several threads. */
final class RolloutAttempt {
    private final int number;
    private final String runId;
    private final RolloutGateway gateway;
    private final Rollout rollout;
    private volatile @Nullable Episode episode; // until it is over: of very many their numbers are known
    private final CompletableFuture<Void> announced = new CompletableFuture<>();
    private boolean begun; // guarded by this
    private volatile long losses;
    private volatile boolean silenced;
    private volatile @Nullable String problem;

    RolloutAttempt(int number, Episode episode, RolloutGateway gateway) {
        this.number = number;
        this.runId = episode.spec().runId();
        this.gateway = gateway;
        this.episode = episode;
        this.rollout = new Rollout(AttemptHistory.NEW, (unused, failures) -> Objects.requireNonNull(this.episode));
        var unused = rollout.over().thenRun(() -> this.episode = null);
    }

    int number() {
        return number;
    }

    /** Returns whether that run is this attempt. */
    boolean is(String run) {
        return runId.equals(run);
    }

    String runId() {
        return runId;
    }

    /** Returns what the job runs. */
    Rollout rollout() {
        return rollout;
    }

    /** Returns where its status goes; {@code null} once another attempt has taken its place. */
    @Nullable
    RolloutGateway gateway() {
        return silenced ? null : gateway;
    }

    /** Returns the future that is done once the gateway knows that it runs. */
    CompletableFuture<Void> announced() {
        return announced;
    }

    /** Returns the losses of the record before its first event. */
    long losses() {
        return losses;
    }

    /** Returns why the record is not known to have it; {@code null} where nothing says so. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Has nothing be told of it, since the record does not have it. */
    void refuse(String why) {
        problem = why;
        silence();
        announced.complete(null);
    }

    /**
     * Begins the run. Returns false where the attempt has been silenced before.
     *
     * @param lost what the record has lost so far
     */
    synchronized boolean begins(long lost) {
        losses = lost;
        begun = true;
        return !silenced;
    }

    /** Notes that the trainer has given it up: a run that has not begun will not, and nothing is told of it. */
    synchronized void cancel() {
        silenced |= !begun;
    }

    /** Has nothing more be told of it. */
    synchronized void silence() {
        silenced = true;
    }
}

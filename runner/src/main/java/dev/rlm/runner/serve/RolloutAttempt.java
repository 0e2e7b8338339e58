package dev.rlm.runner.serve;

import dev.rlm.runner.episode.Job;
import dev.rlm.sinks.rollout.RolloutGateway;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Attempt at a rollout, from the request for it to its run's end. Safe for use by several threads. */
final class RolloutAttempt {
    private final int number;
    private final String runId;
    private final RolloutGateway gateway;
    private final CompletableFuture<Void> announced = new CompletableFuture<>();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private @Nullable Job job; // guarded by this
    private volatile boolean silenced;

    RolloutAttempt(int number, String runId, RolloutGateway gateway) {
        this.number = number;
        this.runId = runId;
        this.gateway = gateway;
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

    /** Returns where its status goes; {@code null} once another attempt has taken its place. */
    @Nullable
    RolloutGateway gateway() {
        return silenced ? null : gateway;
    }

    /** Returns the future that is done once the gateway knows that it runs. */
    CompletableFuture<Void> announced() {
        return announced;
    }

    /** Returns the future that is done once its run has ended, or will not begin. */
    CompletableFuture<Void> over() {
        return over;
    }

    /** Begins the run; {@code false} where it has been silenced before. */
    synchronized boolean begins(Job value) {
        job = value;
        return !silenced;
    }

    /** Ends the run, which still tells of its end. */
    synchronized void abort() {
        if (job != null) {
            job.stop();
        }
    }

    /** Ends the run, which still tells of its end; one that has not begun will not, and nothing is told of it. */
    synchronized void cancel() {
        silenced |= job == null;
        abort();
    }

    /** Ends the run, of which nothing more is told. */
    void silence() {
        silenced = true;
        abort();
    }
}

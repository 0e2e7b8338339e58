package dev.rlm.sinks.lane;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.SinkStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A question to a sink whether it could deliver now, asked on a thread of its own: a sink may take for ever to answer. */
final class Check {
    private static final Duration GRACE = Duration.ofMillis(500);

    private final Lane lane;
    private final CompletableFuture<Health> answer = new CompletableFuture<>();

    private Check(Lane lane) {
        this.lane = lane;
    }

    static Check start(Lane lane, Duration timeout) {
        Check check = new Check(lane);
        Thread thread =
                new Thread(() -> check.answer.complete(lane.sink().check(timeout)), "rlm-sink-check-" + lane.name());
        thread.setDaemon(true);
        thread.start();
        return check;
    }

    /** The answer, which may come a little after the time that the sink was given: it may say what it has waited for. */
    SinkStatus await(long by) {
        try {
            long left = by - System.nanoTime() + GRACE.toNanos();
            return lane.status(answer.get(Math.max(0, left), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return lane.status(new Health(false, "its check was interrupted"));
        } catch (ExecutionException | TimeoutException e) {
            return lane.status(new Health(false, "its check gave no answer in time"));
        }
    }
}

package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.BatchSender;
import dev.rlm.sinks.delivery.Batcher;
import dev.rlm.sinks.delivery.DeliveryException;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.mlflow.rest.Answer;
import dev.rlm.sinks.mlflow.rest.Metric;
import dev.rlm.sinks.mlflow.rest.MlflowRuns;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Sends parcels, each batch to one of MLflow's runs, until they are taken or the server's time is over. A run that cannot be
 * found or made, for whatever reason, is tried again for as long. A point that is refused is lost alone.
 */
final class FigureSender implements BatchSender<Parcel> {
    private static final int ROOM = 99; // batches of a thousand points
    private static final int MANY = 50; // refused one by one, and none taken: it is not the points
    private static final RetryPolicy RETRIES = RetryPolicy.upTo(Duration.ofDays(365)); // or until the server's end

    private final MlflowRuns runs;
    private final Verdicts verdicts;
    private final FigureTally tally;
    private final Batcher<Parcel> batcher;
    private final Batcher<MlflowRun> ends;
    private final Set<MlflowRun> open = ConcurrentHashMap.newKeySet(); // those whose end is still to be sent
    private volatile boolean ending;
    private volatile boolean closing;
    private volatile boolean hopeless; // there is no run to send to, and there may be none for long

    /** @param longestStall how long the lane waits in all for room while nothing arrives */
    FigureSender(MlflowRuns runs, Verdicts verdicts, FigureTally tally, Duration longestStall) {
        this.runs = runs;
        this.verdicts = verdicts;
        this.tally = tally;
        BatchLimits limits = BatchLimits.of(MlflowRuns.MAX_METRICS)
                .linger(Duration.ofSeconds(1))
                .waiting(ROOM)
                .stall(longestStall, false);
        batcher = new Batcher<>(this, limits, RETRIES);
        ends = new Batcher<>(new Ends(), BatchLimits.of(1).linger(Duration.ZERO), RETRIES);
    }

    /** Takes it, or counts it as lost. On the lane only. */
    void add(Parcel parcel) {
        batcher.add(parcel);
    }

    /** How many points wait, about. */
    long waiting() {
        return batcher.size();
    }

    /** Sends all there is, as long as there is hope. Whether all since the last flush was taken before {@code by}. */
    boolean flush(long by) {
        boolean arrived = batcher.flush(by, () -> !hopeless);
        return ends.flush(by, () -> !hopeless) && arrived;
    }

    /**
     * From now on the ends of runs, as they are known, go before what else there is, and nobody waits for room; from
     * {@code end} on nothing is sent.
     */
    void beginClose(long end) {
        batcher.endBy(end);
        ends.endBy(end);
        ending = true;
        endAll();
    }

    /** Sends what there is until {@code by}, as long as there is hope, and gives up the rest. */
    void close(long by) {
        closing = true;
        flush(by);
        batcher.close();
        endAll();
        ends.flush(by);
        ends.close();
    }

    @Override
    public Object group(Parcel parcel) {
        return parcel.run();
    }

    @Override
    public long size(Parcel parcel) {
        return parcel.weight();
    }

    @Override
    public CompletionStage<Optional<Failure>> send(List<Parcel> parcels) {
        MlflowRun run = parcels.get(0).run();
        Failure failure = ensured(run);
        if (failure == null) {
            String id = run.id();
            parcels.forEach(parcel -> parcel.found(verdicts, id));
            if (ending) {
                end(run);
            }
            failure = log(run, parcels);
            if ((failure == null || failure.remedy() == Remedy.NONE)
                    && parcels.stream().anyMatch(Parcel::last)) {
                end(run);
            }
        }
        return CompletableFuture.completedFuture(Optional.ofNullable(failure));
    }

    /** Why there is no run to send to, which is a reason to try again; {@code null} where there is. */
    private @Nullable Failure ensured(MlflowRun run) {
        try {
            run.ensure();
            open.add(run);
            if (hopeless) {
                tally.status().working();
            }
            hopeless = false;
            return null;
        } catch (DeliveryException e) {
            Failure failure = e.failure();
            hopeless = failure.remedy() != Remedy.RETRY;
            tally.status().failing(failure);
            batcher.wake();
            return closing ? failure : failure.remedy(Remedy.RETRY);
        }
    }

    /** Why the points were not taken, or not all; {@code null} where they were. Those of a single parcel are told apart. */
    private @Nullable Failure log(MlflowRun run, List<Parcel> parcels) {
        Deque<List<Metric>> parts = parts(parcels);
        long taken = 0;
        long refused = 0;
        Failure refusal = null;
        while (!parts.isEmpty()) {
            List<Metric> part = parts.pop();
            Failure failure = logOnce(run, part);
            boolean isOfSome = failure != null && failure.remedy() == Remedy.SPLIT && (taken > 0 || refused < MANY);
            if (failure == null) {
                taken += part.size();
            } else if (!isOfSome || parcels.size() > 1) {
                return failure;
            } else if (part.size() > 1) {
                parts.push(part.subList(part.size() / 2, part.size()));
                parts.push(part.subList(0, part.size() / 2));
            } else {
                refused++;
                refusal = failure;
            }
        }
        return refusal == null ? null : refusal.remedy(Remedy.NONE).rejected(refused);
    }

    private static Deque<List<Metric>> parts(List<Parcel> parcels) {
        List<Metric> points = new ArrayList<>();
        parcels.forEach(parcel -> points.addAll(parcel.points()));
        Deque<List<Metric>> parts = new ArrayDeque<>();
        for (int from = 0; from < points.size(); from += MlflowRuns.MAX_METRICS) {
            parts.add(points.subList(from, Math.min(points.size(), from + MlflowRuns.MAX_METRICS)));
        }
        return parts;
    }

    private @Nullable Failure logOnce(MlflowRun run, List<Metric> points) {
        Answer answer = runs.log(run.id(), points);
        if (answer.isGone()) { // deleted since it was found
            run.forget();
            Failure failure = ensured(run);
            if (failure != null) {
                return failure;
            }
            answer = runs.log(run.id(), points);
        }
        return answer.failure();
    }

    @Override
    public boolean done(List<Parcel> parcels, @Nullable Failure failure) {
        tally.settled(parcels.stream().mapToLong(Parcel::weight).sum(), failure);
        parcels.forEach(parcel -> parcel.done(failure));
        return failure == null;
    }

    @Override
    public void retrying(Failure failure) {
        tally.status().failing(failure);
    }

    private void endAll() {
        open.forEach(this::end);
    }

    /** Says how the run ended, once. */
    private void end(MlflowRun run) {
        if (open.remove(run)) {
            ends.addBehind(List.of(run));
        }
    }

    /** Says how runs ended, beside what else is under way, which may take all the time that is left. */
    private final class Ends implements BatchSender<MlflowRun> {
        @Override
        public CompletionStage<Optional<Failure>> send(List<MlflowRun> one) {
            return CompletableFuture.completedFuture(one.get(0).sendEnd().map(Answer::failure));
        }

        @Override
        public boolean done(List<MlflowRun> one, @Nullable Failure failure) {
            if (failure != null) {
                tally.status().failing(failure);
            }
            return failure == null;
        }
    }
}

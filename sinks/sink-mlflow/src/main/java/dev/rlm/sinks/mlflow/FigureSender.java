package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.BatchSender;
import dev.rlm.sinks.delivery.Batcher;
import dev.rlm.sinks.delivery.DeliveryException;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.mlflow.rest.Metric;
import dev.rlm.sinks.mlflow.rest.MlflowResponse;
import dev.rlm.sinks.mlflow.rest.MlflowRuns;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Sends batches of points, each request to one of MLflow's runs, until they are taken or the server's time is over. A run that cannot be
 * found or made, for whatever reason, is tried again for as long. A point that is refused is lost alone.
 */
final class FigureSender extends SinkPart<MetricBatch> {
    private static final int ROOM = 99; // batches of a thousand points
    private static final RetryPolicy RETRIES = RetryPolicy.upTo(Duration.ofDays(365)); // or until the server's end

    private final MlflowRuns runs;
    private final DeliveryListener listener;
    private final Batcher<MlflowRun> ends = // beside what else is under way, which may take all the time that is left
            new Batcher<>(new Ends(), BatchLimits.of(1).linger(Duration.ZERO), RETRIES);
    private final Set<MlflowRun> open = ConcurrentHashMap.newKeySet(); // those whose end is still to be sent
    private final AtomicLong undescribed = new AtomicLong();
    private volatile boolean ending;
    private volatile boolean closing;
    private volatile boolean hopeless; // there is no run to send to, and there may be none for long
    private volatile boolean taking; // the last points that were sent have arrived, or some of them

    /** @param longestStall how long the lane waits in all for room while nothing arrives */
    FigureSender(TrackingServer server, DeliveryListener listener, Duration longestStall) {
        super(
                "metrics",
                "metrics",
                "points",
                server,
                BatchLimits.of(MlflowRuns.MAX_METRICS)
                        .linger(Duration.ofSeconds(1))
                        .waiting(ROOM)
                        .stall(longestStall, false),
                RETRIES);
        this.runs = new MlflowRuns(server);
        this.listener = listener;
    }

    /** Sends all there is, as long as there is hope. Whether all since the last flush was taken before {@code by}. */
    @Override
    boolean flush(long by) {
        boolean arrived = batcher().flush(by, () -> !hopeless);
        return ends.flush(by, () -> !hopeless) && arrived;
    }

    /**
     * Sends the ends of runs, as they are known, before all else from now on, and waits for room no longer. From
     * {@code end} on nothing is sent.
     */
    @Override
    void beginClose(long end) {
        super.beginClose(end);
        ends.endBy(end);
        ending = true;
        endAll();
    }

    /** Sends what there is until {@code by}, as long as there is hope, and gives up the rest. */
    void close(long by) {
        closing = true;
        flush(by);
        close();
        endAll();
        ends.flush(by);
        ends.close();
    }

    @Override
    public Object group(MetricBatch batch) {
        return batch.run();
    }

    @Override
    public long size(MetricBatch batch) {
        return batch.weight();
    }

    @Override
    @Nullable
    Failure request(List<MetricBatch> batches) {
        MlflowRun run = batches.get(0).run();
        Failure failure = ensured(run);
        if (failure == null) {
            String id = run.id();
            batches.forEach(batch -> batch.found(listener, id));
            if (ending) {
                end(run);
            }
            failure = log(run, batches);
            if ((failure == null || failure.remedy() != Remedy.RETRY)
                    && batches.stream().anyMatch(MetricBatch::last)) {
                end(run);
            }
        }
        return failure;
    }

    /**
     * Finds or makes the run. Returns the failure, which is tried again unless the sink closes without hope;
     * {@code null} if the run is there.
     */
    private @Nullable Failure ensured(MlflowRun run) {
        try {
            run.ensure();
            open.add(run);
            if (hopeless) {
                status().working();
            }
            hopeless = false;
            return null;
        } catch (DeliveryException e) {
            Failure failure = e.failure();
            hopeless = failure.remedy() != Remedy.RETRY;
            status().failing(failure);
            batcher().wake();
            return failure.remedy(closing && hopeless ? Remedy.NONE : Remedy.RETRY);
        }
    }

    private @Nullable Failure log(MlflowRun run, List<MetricBatch> batches) {
        List<Metric> points =
                batches.stream().flatMap(batch -> batch.points().stream()).toList();
        if (points.isEmpty()) {
            return null;
        } else if (points.size() > MlflowRuns.MAX_METRICS) {
            return Failure.of("too_many_points", "more points than a request may have", Remedy.SPLIT);
        }
        MlflowResponse answer = runs.log(run.id(), points);
        if (answer.isGone()) { // deleted since it was found
            run.forget();
            Failure failure = ensured(run);
            return failure == null ? runs.log(run.id(), points).failure() : failure;
        }
        return answer.failure();
    }

    /** Points of one event that are refused together are sent one by one. */
    @Override
    public boolean done(List<MetricBatch> batches, @Nullable Failure failure) {
        boolean ofOne = failure != null && failure.remedy() == Remedy.SPLIT && batches.size() == 1;
        if (ofOne && batches.get(0).points().size() > 1) {
            batcher().addBehind(batches.get(0).split());
            return true;
        }
        long points = batches.stream().mapToLong(MetricBatch::weight).sum();
        if (failure != null && ofOne && taking) { // it is for what is wrong with it alone
            status().refused(points, failure);
        } else {
            status().settled(points, failure);
            taking = failure == null;
        }
        batches.forEach(batch -> settled(batch, failure));
        return failure == null;
    }

    @Override
    void settled(MetricBatch batch, @Nullable Failure failure) {
        batch.done(failure);
    }

    /** A run's parameters were refused; its figures are not. */
    void undescribed(Failure cause) {
        undescribed.incrementAndGet();
        status().note("parameters: " + cause.text());
    }

    @Override
    Health health() {
        Health known = super.health();
        Map<String, Object> facts = new LinkedHashMap<>();
        known.facts()
                .forEach((name, value) -> facts.put(
                        name.replace("points_exported", "points_sent").replace("points_failed", "points_lost"), value));
        facts.remove("points_rejected");
        if (undescribed.get() > 0) {
            facts.put("params_refused", undescribed.get());
        }
        facts.put("points_waiting", batcher().size());
        long lost = facts.keySet().stream()
                .filter(name -> name.startsWith("points_lost."))
                .mapToLong(name -> facts.get(name) instanceof Long count ? count : 0)
                .sum();
        boolean shown = known.available() && lost > 0;
        return new Health(known.available(), known.detail() + (shown ? ", " + lost + " lost" : ""), facts);
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
            return CompletableFuture.completedFuture(one.get(0).sendEnd().map(MlflowResponse::failure));
        }

        @Override
        public boolean done(List<MlflowRun> one, @Nullable Failure failure) {
            if (failure != null) {
                status().failing(failure);
            }
            return failure == null;
        }
    }
}

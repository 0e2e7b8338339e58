package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.mlflow.rest.Pauses;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import dev.rlm.sinks.otel.otlp.NotTakenException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Sends parcels, from a thread of its own, until they are taken or the server's time is over. A run that cannot be found or
 * made, for whatever reason, is tried again for as long.
 */
final class FigureSender {
    private final TrackingServer server;
    private final Verdicts verdicts;
    private final FigureTally tally;
    private final Outbox outbox;
    private final PointDelivery delivery;
    private final Set<MlflowRun> open = ConcurrentHashMap.newKeySet(); // those whose end is still to be sent
    private final Thread thread;
    private volatile boolean ending;
    private volatile boolean failedSinceFlush;

    FigureSender(TrackingServer server, PointDelivery delivery, Verdicts verdicts, FigureTally tally, Outbox outbox) {
        this.server = server;
        this.delivery = delivery;
        this.verdicts = verdicts;
        this.tally = tally;
        this.outbox = outbox;
        thread = new Thread(this::work, "rlm-mlflow-figures");
        thread.setDaemon(true);
        thread.start();
    }

    /** Takes it, or counts it as lost. On the lane only. */
    void add(Parcel parcel) {
        String refusal = outbox.add(parcel);
        if (refusal != null) {
            tally.givenUp(parcel.weight(), refusal);
            parcel.giveUp(refusal);
        }
    }

    /** How many points wait, about. */
    int waiting() {
        return outbox.weight();
    }

    boolean flush(long by) {
        boolean gone = outbox.drain(by, () -> !tally.isHopeless());
        boolean well = gone && !failedSinceFlush;
        failedSinceFlush = !gone && failedSinceFlush;
        return well;
    }

    /**
     * From now on the ends of runs, as they are known, go before what else there is, and nobody waits for room. A thread of
     * their own sends them: a request that is under way may take all the time that is left.
     */
    void sendEndsFirst() {
        if (!ending) {
            ending = true;
            Thread ends = new Thread(this::endAll, "rlm-mlflow-ends");
            ends.setDaemon(true);
            ends.start();
        }
        outbox.beginClose();
    }

    /** Sends what there is until the server's time is over, and then gives up the rest. */
    void close() {
        sendEndsFirst();
        outbox.close();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void work() {
        List<Parcel> batch = outbox.next();
        while (batch != null) {
            outbox.done(deliver(batch));
            batch = outbox.next();
        }
        endAll();
    }

    @SuppressWarnings("CatchThrowable") // this thread goes on, whatever happens
    private boolean deliver(List<Parcel> batch) {
        try {
            boolean well = true;
            for (Map.Entry<MlflowRun, List<Parcel>> group : byRun(batch).entrySet()) {
                well &= deliver(group.getKey(), group.getValue());
            }
            failedSinceFlush |= !well;
            return well;
        } catch (Throwable e) {
            Failure failure = Failure.of(e);
            tally.failing(failure);
            batch.forEach(parcel -> parcel.giveUp(failure.reason()));
            failedSinceFlush = true;
            return false;
        }
    }

    private static Map<MlflowRun, List<Parcel>> byRun(List<Parcel> batch) {
        Map<MlflowRun, List<Parcel>> groups = new LinkedHashMap<>();
        for (Parcel parcel : batch) {
            groups.computeIfAbsent(parcel.run(), run -> new ArrayList<>()).add(parcel);
        }
        return groups;
    }

    private boolean deliver(MlflowRun run, List<Parcel> parcels) {
        String id = ensure(run);
        if (id == null) {
            Failure why = tally.failure();
            String reason = why == null ? Failure.closed().reason() : why.reason();
            parcels.forEach(parcel -> {
                tally.givenUp(parcel.weight(), reason);
                parcel.giveUp(reason);
            });
            return false;
        }
        parcels.stream().map(Parcel::introduces).forEach(start -> {
            if (start != null) {
                verdicts.found(start, id);
            }
        });
        if (ending) {
            end(run);
        }
        boolean well = delivery.deliver(run, parcels);
        if (parcels.stream().anyMatch(Parcel::last)) {
            end(run);
        }
        return well;
    }

    /** The run's id; {@code null} where there was none until the time was over. */
    private @Nullable String ensure(MlflowRun run) {
        Pauses pauses = new Pauses();
        while (!server.isEnded()) {
            try {
                String id = run.ensure().id();
                open.add(run);
                tally.ready();
                return id;
            } catch (NotTakenException e) {
                tally.setUpFailing(e.failure());
                outbox.wake(); // there may be no hope
                if (!isToBeTriedAgain(e.failure(), pauses.next())) {
                    return null;
                }
            }
        }
        return null;
    }

    /** Waits before it is; what does not pass by itself is tried again until the close, and not for the sake of it. */
    private boolean isToBeTriedAgain(Failure failure, Duration pause) {
        return failure.remedy() == Remedy.RETRY ? server.pause(pause) : !outbox.awaitClose(pause);
    }

    private void endAll() {
        open.forEach(this::end);
    }

    /** Says how the run ended, once; as long as that may help and the time lasts. */
    private void end(MlflowRun run) {
        if (!open.contains(run)) {
            return;
        }
        Failure failure = null;
        Pauses pauses = new Pauses();
        while (!server.isEnded()) {
            failure = run.sendEnd().map(answer -> answer.failure()).orElse(null);
            if (failure == null || failure.remedy() != Remedy.RETRY || !server.pause(pauses.next())) {
                break;
            }
        }
        open.remove(run);
        if (failure != null) {
            tally.failing(failure);
        }
    }
}

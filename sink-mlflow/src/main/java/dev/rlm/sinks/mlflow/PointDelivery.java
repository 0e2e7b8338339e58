package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.mlflow.rest.Answer;
import dev.rlm.sinks.mlflow.rest.FoundRun;
import dev.rlm.sinks.mlflow.rest.Metric;
import dev.rlm.sinks.mlflow.rest.MlflowRuns;
import dev.rlm.sinks.mlflow.rest.Pauses;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import dev.rlm.sinks.otel.otlp.NotTakenException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings the points of parcels to their run: a thousand in a request, in halves where the server finds something wrong among
 * them, until what is wrong is alone. Says of each parcel's event what became of it. On the figures' thread only.
 */
final class PointDelivery {
    private static final int MANY = 50; // refused one by one, and none taken: it is not the points

    private final TrackingServer server;
    private final MlflowRuns runs;
    private final FigureTally tally;

    PointDelivery(TrackingServer server, MlflowRuns runs, FigureTally tally) {
        this.server = server;
        this.runs = runs;
        this.tally = tally;
    }

    /** Sends what the parcels hold, all for that run, which is there; whether all has arrived. */
    boolean deliver(MlflowRun run, List<Parcel> parcels) {
        List<Point> points = new ArrayList<>();
        for (Parcel parcel : parcels) {
            parcel.points().get().forEach(metric -> points.add(new Point(metric, parcel)));
        }
        IdentityHashMap<Parcel, String> losses = new IdentityHashMap<>();
        for (int from = 0; from < points.size(); from += MlflowRuns.MAX_METRICS) {
            send(run, points.subList(from, Math.min(points.size(), from + MlflowRuns.MAX_METRICS)), losses);
        }
        for (Parcel parcel : parcels) {
            tell(parcel, losses.getOrDefault(parcel, parcel.refused()));
        }
        return losses.isEmpty();
    }

    /** That of a parcel which only introduces its run comes with the end. */
    private static void tell(Parcel parcel, @Nullable String loss) {
        Fate fate = parcel.fate();
        if (fate != null && loss != null) {
            fate.dropped(loss);
        } else if (fate != null && parcel.introduces() == null) {
            fate.delivered();
        }
    }

    private void send(MlflowRun run, List<Point> all, IdentityHashMap<Parcel, String> losses) {
        Deque<List<Point>> parts = new ArrayDeque<>(List.of(all));
        int arrived = 0;
        int refused = 0;
        while (!parts.isEmpty()) {
            List<Point> part = parts.pop();
            boolean systematic = arrived == 0 && refused >= MANY;
            Failure failure = failure(run, part);
            if (failure == null) {
                arrived += part.size();
                tally.arrived(part.size());
            } else if (failure.remedy() == Remedy.SPLIT && part.size() > 1 && !systematic) {
                parts.push(part.subList(part.size() / 2, part.size()));
                parts.push(part.subList(0, part.size() / 2));
            } else {
                refused += part.size();
                lose(part, failure, arrived > 0, losses);
            }
        }
    }

    private void lose(List<Point> part, Failure failure, boolean others, IdentityHashMap<Parcel, String> losses) {
        if (others && failure.remedy() == Remedy.SPLIT) {
            tally.refused(part.size(), failure);
        } else {
            tally.failed(part.size(), failure);
        }
        part.forEach(point -> losses.put(point.parcel(), failure.reason()));
    }

    /** Why the points were not taken; {@code null} if they were. */
    private @Nullable Failure failure(MlflowRun run, List<Point> part) {
        List<Metric> metrics = part.stream().map(Point::metric).toList();
        boolean renewed = false;
        Failure last = null;
        Pauses pauses = new Pauses();
        while (true) {
            FoundRun known = run.known();
            Answer answer = known == null ? null : runs.log(known.id(), metrics);
            if (answer != null && answer.isGone() && !renewed) {
                renewed = true;
                run.forget();
                answer = null;
            }
            Failure failure = answer == null ? ensured(run) : answer.failure();
            if (answer != null && (failure == null || failure.remedy() != Remedy.RETRY)) {
                return failure != null && failure.isEnd() && last != null ? last : failure;
            } else if (failure != null) {
                last = failure;
                tally.failing(failure);
                if (!server.pause(pauses.next())) {
                    return failure;
                }
            }
        }
    }

    private static @Nullable Failure ensured(MlflowRun run) {
        try {
            run.ensure();
            return null;
        } catch (NotTakenException e) {
            return e.failure();
        }
    }

    /** A point and the parcel that it came in. */
    private record Point(Metric metric, Parcel parcel) {}
}

package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.mlflow.rest.Answer;
import dev.rlm.sinks.mlflow.rest.Request;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Tally;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What joins traces to MLflow's runs. MLflow takes a link before it knows the trace, and again as often as it is sent. All
 * methods may be called on any thread.
 *
 * @param <K> what a link was asked for by
 */
final class Links<K> implements Courier.Load<Links.Link<K>> {
    private static final String PATH = "/api/2.0/mlflow/traces/link-to-run";
    private static final int MOST = 100; // MLflow's limit
    private static final int ROOM = 50_000;

    private final TrackingServer server;
    private final BiConsumer<K, @Nullable String> verdict;
    private final Tally tally;
    private final Room room;
    private final Courier<Link<K>> courier;

    /**
     * @param longestStall how long to wait in all for room while nothing arrives
     * @param verdict hears of each link once what came of it: {@code null} where it was taken, else the reason
     */
    Links(TrackingServer server, Duration longestStall, BiConsumer<K, @Nullable String> verdict) {
        this.server = server;
        this.verdict = verdict;
        tally = new Tally("links", "links", server.address());
        room = new Room(ROOM, longestStall);
        courier = new Courier<>("links", server, this, 1, MOST, Duration.ofSeconds(1));
    }

    void start() {
        courier.start();
    }

    /** Joins the trace to MLflow's run. */
    void link(K key, String traceId, String mlflowRun) {
        String refusal = room.take(1);
        if (refusal == null && !courier.offer(new Link<>(key, traceId, mlflowRun))) {
            refusal = Failure.closed().reason();
        }
        if (refusal != null) {
            tally.givenUp(1, refusal);
            verdict.accept(key, refusal);
        }
    }

    @Override
    public @Nullable Failure bring(List<Link<K>> links) {
        Map<String, List<String>> byRun = links.stream()
                .collect(Collectors.groupingBy(
                        Link::mlflowRun,
                        LinkedHashMap::new,
                        Collectors.mapping(link -> "tr-" + link.traceId(), Collectors.toList())));
        for (Map.Entry<String, List<String>> run : byRun.entrySet()) {
            Answer answer =
                    server.send(Request.post(PATH, Map.of("trace_ids", run.getValue(), "run_id", run.getKey())));
            if (!answer.isTaken()) {
                return answer.failure();
            }
        }
        return null;
    }

    @Override
    public void failing(Failure failure) {
        tally.failing(failure);
    }

    @Override
    public void done(List<Link<K>> links, @Nullable Failure failure) {
        room.free(links.size(), failure == null);
        if (failure == null) {
            tally.arrived(links.size());
        } else {
            tally.failed(links.size(), failure);
        }
        links.forEach(link -> verdict.accept(link.key(), failure == null ? null : failure.reason()));
    }

    /** Brings all there is. Whether all since the last flush has been taken before {@link System#nanoTime} is {@code by}. */
    boolean flush(long by) {
        return courier.flush(by);
    }

    /** From now on nobody waits for room. */
    void beginClose() {
        room.beginClose();
    }

    /** Gives up what is left, and waits until {@code by} for a request that is under way. */
    void close(long by) {
        courier.close(by);
    }

    /** How it fares, and counts. */
    Health health() {
        return Standing.of(tally, "links_");
    }

    /** A link to be made. */
    record Link<K>(K key, String traceId, String mlflowRun) {}
}

package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.BatchSender;
import dev.rlm.sinks.delivery.Batcher;
import dev.rlm.sinks.delivery.DeliveryStatus;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.mlflow.rest.Answer;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What joins traces to MLflow's runs. MLflow takes a link before it knows the trace, and again as often as it is sent. All
 * methods may be called on any thread.
 *
 * @param <K> what a link was asked for by
 */
final class Links<K> implements BatchSender<Links.Link<K>> {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.mlflow");
    private static final String PATH = "/api/2.0/mlflow/traces/link-to-run";
    private static final int MOST = 100; // MLflow's limit
    private static final int ROOM = 500; // batches
    private static final Duration OUTAGE = Duration.ofMinutes(2);

    private final TrackingServer server;
    private final BiConsumer<K, @Nullable String> verdict;
    private final DeliveryStatus status;
    private final Batcher<Link<K>> batcher;

    /**
     * @param longestStall how long to wait in all for room while nothing arrives
     * @param verdict hears of each link once what came of it: {@code null} where it was taken, else the reason
     */
    Links(TrackingServer server, Duration longestStall, BiConsumer<K, @Nullable String> verdict) {
        this.server = server;
        this.verdict = verdict;
        status = new DeliveryStatus(LOG, "links", "links", server.address());
        batcher = new Batcher<>(
                this,
                BatchLimits.of(MOST).linger(Duration.ofSeconds(1)).waiting(ROOM).stall(longestStall, false),
                RetryPolicy.upTo(OUTAGE));
    }

    /** Joins the trace to MLflow's run. */
    void link(K key, String traceId, String mlflowRun) {
        batcher.add(new Link<>(key, traceId, mlflowRun));
    }

    @Override
    public CompletionStage<Optional<Failure>> send(List<Link<K>> links) {
        Map<String, List<String>> byRun = links.stream()
                .collect(Collectors.groupingBy(
                        Link::mlflowRun,
                        LinkedHashMap::new,
                        Collectors.mapping(link -> "tr-" + link.traceId(), Collectors.toList())));
        for (Map.Entry<String, List<String>> run : byRun.entrySet()) {
            Answer answer = server.post(PATH, Map.of("trace_ids", run.getValue(), "run_id", run.getKey()));
            if (!answer.isTaken()) {
                return CompletableFuture.completedFuture(Optional.ofNullable(answer.failure()));
            }
        }
        return CompletableFuture.completedFuture(Optional.empty());
    }

    @Override
    public void retrying(Failure failure) {
        status.failing(failure);
    }

    @Override
    public boolean done(List<Link<K>> links, @Nullable Failure failure) {
        status.settled(links.size(), failure);
        links.forEach(link -> verdict.accept(link.key(), failure == null ? null : failure.reason()));
        return failure == null;
    }

    /** Sends them. */
    Batcher<Link<K>> batcher() {
        return batcher;
    }

    /** How it fares, and counts. */
    Health health() {
        return Standing.of(status, "links_");
    }

    /** A link to be made. */
    record Link<K>(K key, String traceId, String mlflowRun) {}
}

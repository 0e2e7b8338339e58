package dev.rlm.runner.worker;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.BatchingSink;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.event.Event;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Sink that tells agent-lightning's server the reward and the end of each rollout, until it takes them; first the record gets some
 * seconds to have them.
 */
final class AgentLightningSink extends BatchingSink<RolloutEnd> {
    static final String NAME = "agent-lightning";

    private static final Duration GIVE_UP = Duration.ofMinutes(10);
    private static final BatchLimits LIMITS =
            BatchLimits.of(1).linger(Duration.ZERO).inFlight(16).waiting(1_000);

    private static final ExecutorService SYNC_THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "rlm-worker-sync");
        thread.setDaemon(true);
        return thread;
    });

    private final AgentLightning server;
    private final Runnable sync;
    private final Set<String> tried = ConcurrentHashMap.newKeySet(); // rollouts whose ends the server has not taken

    /**
     * Makes the sink.
     *
     * @param sync waits until the record has what was published so far, for a while
     */
    AgentLightningSink(AgentLightning server, Runnable sync) {
        super(server.base(), LIMITS, RetryPolicy.upTo(GIVE_UP));
        this.server = server;
        this.sync = sync;
    }

    @Override
    public Collection<String> secrets() {
        return server.key() == null ? List.of() : List.of(server.key());
    }

    @Override
    protected @Nullable RolloutEnd encode(Event event) {
        return RolloutEnd.of(event);
    }

    @Override
    protected CompletionStage<Optional<Failure>> send(List<RolloutEnd> batch) {
        RolloutEnd end = batch.get(0);
        boolean again = !tried.add(end.rollout());
        return CompletableFuture.runAsync(sync, SYNC_THREADS)
                .thenCompose(synced -> server.tell(end, server.attempt(), again))
                .whenComplete((failure, error) -> {
                    if (failure != null && failure.isEmpty()) {
                        tried.remove(end.rollout());
                    }
                });
    }
}

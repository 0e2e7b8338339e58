package dev.rlm.runner.worker;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.BatchingSink;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEvent;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Sink that tells agent-lightning's server the reward and the end of each rollout, until it takes them. */
final class AgentLightningSink extends BatchingSink<RolloutEnd> {
    static final String NAME = "agent-lightning";

    private static final Duration GIVE_UP = Duration.ofMinutes(10);
    private static final BatchLimits LIMITS =
            BatchLimits.of(1).linger(Duration.ZERO).inFlight(16).waiting(1_000);

    private final AgentLightning server;
    private final RolloutEnd.Reader ends = new RolloutEnd.Reader(); // on the lane alone

    AgentLightningSink(AgentLightning server) {
        super(server.base(), LIMITS, RetryPolicy.upTo(GIVE_UP));
        this.server = server;
    }

    @Override
    public Collection<String> secrets() {
        return server.key() == null ? List.of() : List.of(server.key());
    }

    @Override
    protected @Nullable RolloutEnd encode(Event event) {
        return event instanceof RunEvent of ? ends.read(of) : null;
    }

    @Override
    protected CompletionStage<Optional<Failure>> send(List<RolloutEnd> batch) {
        return server.tell(batch.get(0), server.attempt());
    }
}

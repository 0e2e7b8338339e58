package dev.rlm.sinks.rollout;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkProvider;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Makes the sink {@code rollout-status} from the configuration. */
public final class RolloutStatusSinkProvider implements SinkProvider {
    private static final String SHARED_URL = "FW_TRACING_GATEWAY_BASE_URL";

    @Override
    public String name() {
        return RolloutStatusSink.NAME;
    }

    @Override
    public String description() {
        return "statuses of rollouts, posted to a trainer's gateway";
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable("RLM_ROLLOUT_STATUS_URL", "that of " + SHARED_URL, "the trainer's gateway, without /logs"),
                new Variable("RLM_ROLLOUT_STATUS_TOKEN", "", "signs in there"),
                new Variable(
                        "RLM_ROLLOUT_STATUS_GIVE_UP", "10m", "how long a status is posted again until it is taken"),
                new Variable(SHARED_URL, "", "the trainer's gateway, where RLM_ROLLOUT_STATUS_URL is not set"),
                new Variable("EP_ROLLOUT_ID", "", "the rollout of runs that name none"));
    }

    @Override
    public Sink create(SinkConfig config) {
        Optional<URI> url = config.url("URL").or(() -> config.shared().url(SHARED_URL));
        if (url.isEmpty()) {
            throw new SinkConfigException(config.variable("URL")
                    + " is not set: expected the trainer's gateway, such as http://localhost:4000");
        } else if (url.get().getRawUserInfo() != null || url.get().getRawQuery() != null) {
            throw config.invalid("URL", "an address without user and query: " + config.variable("TOKEN") + " signs in");
        }
        Duration giveUp = config.duration("GIVE_UP", RolloutStatusSink.GIVE_UP);
        if (giveUp.isZero()) {
            throw config.invalid("GIVE_UP", "a time above 0");
        }
        String token = config.string("TOKEN").orElse(null);
        String rollout = config.shared().string("EP_ROLLOUT_ID").orElse(null);
        RolloutGateway gateway = new RolloutGateway(url.get().toString(), token);
        return new RolloutStatusSink(gateway, rollout, giveUp, !config.isResending());
    }
}

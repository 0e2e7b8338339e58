// 1: dev.rlm:sink-rollout
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.rollout.RolloutGateway;
import dev.rlm.sinks.rollout.RolloutStatusSink;

class Page {
    String token;
}

// 1: dev.rlm:sinks-api
import static dev.rlm.sinks.event.RewardGiven.Kind.MODEL;

import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Run;

class Page {
    Run run = Run.NOOP;
    String verdict = "It is right.";
}

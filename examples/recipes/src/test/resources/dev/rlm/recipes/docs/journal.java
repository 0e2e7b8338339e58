// 1: dev.rlm:sink-jsonl
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.BackgroundRecovery;
import dev.rlm.sinks.jsonl.Recovery;

class Page {
}

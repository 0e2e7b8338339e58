// 1: dev.rlm:journal
import dev.rlm.journal.recovery.BackgroundRecovery;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;

class Page {
}

package dev.rlm.sinks.rollout;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.testkit.SinkContractTest;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;

class RolloutStatusSinkContractTest extends SinkContractTest {
    private final LogServer gateway = new LogServer();

    RolloutStatusSinkContractTest() throws IOException {}

    @AfterEach
    void stop() {
        gateway.close();
    }

    @Override
    protected Sink newSink() {
        return new RolloutStatusSink(new RolloutGateway(gateway.url(), null), "the-rollout");
    }

    @Override
    protected String everythingWritten() {
        return String.join("\n", gateway.taken());
    }
}

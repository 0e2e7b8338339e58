package dev.rlm.sinks.delivery;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.testkit.SinkContractTest;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The contract of all sinks, for the example. */
class WebhookSinkContractTest extends SinkContractTest {
    private WebhookServer server;

    @BeforeEach
    void start() throws IOException {
        server = new WebhookServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Override
    protected Sink newSink() {
        return WebhookExample.sink(server);
    }

    @Override
    protected String everythingWritten() {
        return String.join("\n", server.bodies());
    }
}

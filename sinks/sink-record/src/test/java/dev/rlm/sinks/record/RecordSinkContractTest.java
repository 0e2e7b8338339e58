package dev.rlm.sinks.record;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.testkit.SinkContractTest;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;

class RecordSinkContractTest extends SinkContractTest {
    private final LineServer server = new LineServer();

    RecordSinkContractTest() throws IOException {}

    @AfterEach
    void stop() {
        server.close();
    }

    @Override
    protected Sink newSink() {
        return new RecordSink(server.url(), null, RecordSink.GIVE_UP);
    }

    @Override
    protected String everythingWritten() {
        return String.join("\n", server.lines());
    }
}

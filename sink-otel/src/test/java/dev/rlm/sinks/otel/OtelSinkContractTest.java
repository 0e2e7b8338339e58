package dev.rlm.sinks.otel;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.testkit.SinkContractTest;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class OtelSinkContractTest extends SinkContractTest {
    private final OtlpReceiver receiver = OtlpReceiver.start();
    private final String protocol;

    OtelSinkContractTest(String protocol) throws IOException {
        this.protocol = protocol;
    }

    @AfterEach
    void stop() {
        receiver.close();
    }

    @Override
    protected Sink newSink() {
        return new OtelSinkProvider().create(Rig.config(receiver, protocol, Map.of("RLM_CAPTURE_CONTENT", "full")));
    }

    @Override
    protected String everythingWritten() {
        return receiver.toString();
    }
}

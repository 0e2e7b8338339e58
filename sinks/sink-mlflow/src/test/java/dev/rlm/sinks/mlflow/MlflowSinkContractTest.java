package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.testkit.SinkContractTest;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

class MlflowSinkContractTest extends SinkContractTest {
    private final FakeMlflow mlflow = new FakeMlflow();

    MlflowSinkContractTest() throws IOException {}

    @AfterEach
    void stop() {
        mlflow.close();
    }

    @Override
    protected Sink newSink() {
        Map<String, String> variables =
                Map.of("MLFLOW_TRACKING_URI", mlflow.uri().toString(), "RLM_CAPTURE_CONTENT", "full");
        return new MlflowSinkProvider().create(SinkConfig.of(variables).sink("mlflow"));
    }

    @Override
    protected String everythingWritten() {
        return mlflow.everything();
    }
}

package dev.rlm.sinks.otel.files;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.otel.OtlpFileSinkProvider;
import dev.rlm.sinks.testkit.SinkContractTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

class OtlpFileContractTest extends SinkContractTest {
    @TempDir
    private Path folder;

    @Override
    protected Sink newSink() {
        Map<String, String> variables =
                Map.of("RLM_OTLP_FILE_PATH", folder.resolve("traces.jsonl").toString(), "RLM_CAPTURE_CONTENT", "full");
        return new OtlpFileSinkProvider().create(SinkConfig.of(variables).sink("otlp-file"));
    }

    @Override
    protected boolean leavesOut(Event event) {
        return event instanceof MetricsReported;
    }

    @Override
    protected String everythingWritten() throws IOException {
        return Files.readString(folder.resolve("traces.jsonl"));
    }
}

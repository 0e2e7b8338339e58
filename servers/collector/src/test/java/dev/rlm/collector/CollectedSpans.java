package dev.rlm.collector;

import static dev.rlm.collector.Otlp.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.trace.v1.Span;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of spans that a collector gets, which has a journal of its own in each. */
abstract class CollectedSpans {
    @TempDir
    Path folder;

    @SuppressWarnings("NullAway.Init") // before each test
    RunningCollector collector;

    @BeforeEach
    void start() throws Exception {
        collector = RunningCollector.start(folder);
    }

    @AfterEach
    void stop() throws Exception {
        collector.close();
    }

    final ExportTraceServiceResponse send(Span... spans) throws Exception {
        HttpResponse<byte[]> response =
                collector.post("/v1/traces", request(spans).toByteArray(), "Content-Type", "application/x-protobuf");
        assertThat(response.statusCode()).isEqualTo(200);
        return ExportTraceServiceResponse.parseFrom(response.body());
    }

    static <T extends RunEvent> List<T> only(Class<T> kind, List<RunEvent> events) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    static Message reply(ModelCalled call) {
        return Objects.requireNonNull(call.reply());
    }
}

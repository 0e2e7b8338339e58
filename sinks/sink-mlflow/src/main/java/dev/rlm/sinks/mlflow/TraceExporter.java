package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.delivery.DeliveryException;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.mlflow.rest.Experiment;
import dev.rlm.sinks.mlflow.rest.MlflowResponse;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.otel.otlp.SpanEncoder;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import okhttp3.MediaType;
import okhttp3.RequestBody;
import okio.Buffer;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Sends spans to MLflow by OTLP, with the header that says in which experiment. One batch at a time; the caller waits for the
 * answer, and knows from the failure what may help: MLflow takes all of a batch or nothing.
 */
final class TraceExporter implements SpanExporter {
    private static final String PATH = "/v1/traces";
    private static final MediaType PROTOBUF = MediaType.get("application/x-protobuf");
    private static final String EXPERIMENT = "x-mlflow-experiment-id";

    private final TrackingServer server;
    private final Experiment experiment;
    private final Consumer<Set<String>> onArrival;
    private volatile @Nullable Failure failure;

    /** @param onArrival hears the ids of traces of which spans have arrived */
    TraceExporter(TrackingServer server, Experiment experiment, Consumer<Set<String>> onArrival) {
        this.server = server;
        this.experiment = experiment;
        this.onArrival = onArrival;
    }

    /** Returns the failure of the last request; {@code null} if it was taken. */
    @Nullable
    Failure failure() {
        return failure;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        try {
            send(spans);
            failure = null;
        } catch (IOException e) {
            failure = Failure.of(e);
            return CompletableResultCode.ofExceptionalFailure(e);
        }
        onArrival.accept(spans.stream().map(SpanData::getTraceId).collect(Collectors.toSet()));
        return CompletableResultCode.ofSuccess();
    }

    private void send(Collection<SpanData> spans) throws IOException {
        Map<String, String> headers = Map.of("Content-Encoding", "gzip", EXPERIMENT, experiment.id());
        MlflowResponse answer = server.post(PATH, RequestBody.create(zipped(spans), PROTOBUF), headers);
        if (answer.isGone()) { // deleted for good since it was found
            experiment.forget();
            throw new DeliveryException(Failure.of("experiment_gone", "the experiment is gone", Remedy.RETRY));
        }
        answer.orThrow();
    }

    private static ByteString zipped(Collection<SpanData> spans) throws IOException {
        Buffer bytes = new Buffer();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes.outputStream(), 1 << 13)) {
            SpanEncoder.writeAll(spans.stream().<SpanData>map(MlflowSpan::of).toList(), zip);
        }
        return bytes.readByteString();
    }

    @Override
    public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess(); // requests under way end with the server
    }
}

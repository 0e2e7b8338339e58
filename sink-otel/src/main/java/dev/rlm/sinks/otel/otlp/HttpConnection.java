package dev.rlm.sinks.otel.otlp;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.delivery.http.HttpBody;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.List;
import java.util.function.UnaryOperator;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * OTLP over HTTP/1.1, in protobuf.
 *
 * <p>Jaeger and Tempo answer an export with {@code application/x-protobuf} and an empty partial success, MLflow with that
 * type and nothing, Prometheus with neither type nor body. A page of HTML, which Jaeger's port for people answers to
 * everything with 200, means that nothing was taken.
 */
final class HttpConnection extends OtlpConnection {
    private static final int MAX_REFUSAL = 4 << 10;

    private final MediaType type;

    /** Makes the one that an exporter is configured for. */
    HttpConnection(HttpSenderConfig config, UnaryOperator<String> variables) {
        super(
                config.getEndpoint(),
                config.getCompressor(),
                config.getHeadersSupplier(),
                variables,
                transport(
                        List.of(Protocol.HTTP_1_1),
                        config.getTimeout(),
                        config.getConnectTimeout(),
                        config.getSslContext(),
                        config.getTrustManager(),
                        config.getProxyOptions() == null
                                ? null
                                : config.getProxyOptions().getProxySelector()));
        type = MediaType.get(config.getContentType());
    }

    @Override
    Request.Builder request(Buffer message, @Nullable String encoding) {
        Request.Builder request = new Request.Builder().post(RequestBody.create(message.snapshot(), type));
        return encoding == null ? request : request.header("Content-Encoding", encoding);
    }

    @Override
    @Nullable
    Failure understand(Response response) throws IOException {
        return response.isSuccessful()
                ? taken(HttpBody.read(response, MAX_ANSWER))
                : HttpStatus.failure(response, HttpBody.tryToRead(response, MAX_REFUSAL));
    }

    private static @Nullable Failure taken(HttpBody body) {
        if (body.isHtml()) {
            return notOtlp("a web page");
        } else if (!body.isWhole()) {
            return notOtlp("too much");
        } else if (body.isEmpty()) {
            return null;
        } else if (!body.isJson() && !isProtobuf(body.type())) {
            return notOtlp("a text").said(body.text());
        }
        try {
            return body.isJson() ? ExportAnswer.readJson(body.bytes()) : ExportAnswer.read(body.bytes());
        } catch (IllegalArgumentException e) {
            return notOtlp(body.isJson() ? "other JSON" : "bytes of its own").said(body.isJson() ? body.text() : "");
        }
    }

    private static boolean isProtobuf(String type) {
        return type.isEmpty() || type.contains("protobuf") || type.contains("octet-stream");
    }

    @Override
    Failure misunderstood(IOException error) {
        String message = String.valueOf(error.getMessage());
        if (error instanceof ProtocolException && message.startsWith("Unexpected status line: ")) {
            return notHttp(message.substring("Unexpected status line: ".length()));
        }
        return network(error);
    }

    @Override
    String whoElseCuts() {
        return "; is it a port for gRPC (OTEL_EXPORTER_OTLP_PROTOCOL=grpc)?";
    }

    private static Failure notHttp(String start) {
        char first = start.isEmpty() ? ' ' : start.charAt(0);
        // A TLS server says with an alert (21) that this was none; HTTP/2 begins with a frame of less than 64 KiB.
        String likely = first == 21
                ? ": looks like a port for TLS (https://)"
                : first == 0 ? ": looks like a port for gRPC (OTEL_EXPORTER_OTLP_PROTOCOL=grpc)" : "";
        return Failure.of("export_not_otlp", "the answer is no HTTP" + likely, Remedy.NONE);
    }
}

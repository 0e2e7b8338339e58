package dev.rlm.sinks.otel.otlp;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.delivery.http.HttpBody;
import io.opentelemetry.sdk.common.export.GrpcSenderConfig;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/** OTLP over gRPC: one message in a frame of HTTP/2, and a status behind the answer's. */
final class GrpcConnection extends OtlpConnection {
    private static final MediaType TYPE = MediaType.get("application/grpc");
    private static final int PREFIX = 5; // whether compressed, and the length
    private static final int MAX_REFUSAL = 4 << 10;

    /** Servers' words for a message that is too large; its status is the same as that of an overload. */
    private static final Pattern TOO_LARGE = Pattern.compile(
            "larger than max|message (size|length)|too large|exceeds? (the )?max", Pattern.CASE_INSENSITIVE);

    // "HTT", the beginning of an answer of HTTP/1, read as the length of a frame.
    private static final String HTTP_1 = String.valueOf('H' << 16 | 'T' << 8 | 'T');

    /** Makes the one that an exporter is configured for. */
    GrpcConnection(GrpcSenderConfig config, UnaryOperator<String> variables) {
        super(
                config.getEndpoint().resolve("/" + config.getFullMethodName()),
                config.getCompressor(),
                config.getHeadersSupplier(),
                variables,
                transport(
                        protocols("https".equals(config.getEndpoint().getScheme())),
                        config.getTimeout(),
                        config.getConnectTimeout(),
                        config.getSslContext(),
                        config.getTrustManager(),
                        null));
    }

    @Override
    Request.Builder request(Buffer message, @Nullable String encoding) {
        Buffer frame = new Buffer().writeByte(encoding == null ? 0 : 1).writeInt((int) message.size());
        frame.write(message, message.size());
        Request.Builder request = new Request.Builder()
                .post(RequestBody.create(frame.snapshot(), TYPE))
                .header("te", "trailers");
        return encoding == null ? request : request.header("grpc-encoding", encoding);
    }

    /** Without TLS there is nothing to agree by, and HTTP/2 is taken for granted. */
    private static List<Protocol> protocols(boolean tls) {
        return tls ? List.of(Protocol.HTTP_2, Protocol.HTTP_1_1) : List.of(Protocol.H2_PRIOR_KNOWLEDGE);
    }

    @Override
    @Nullable
    Failure understand(Response response) throws IOException {
        if (!response.isSuccessful()) {
            return HttpStatus.failure(response, HttpBody.tryToRead(response, MAX_REFUSAL));
        }
        String type = response.header("Content-Type");
        if (type == null || !type.startsWith("application/grpc")) {
            return notGrpc(HttpBody.tryToRead(response, MAX_REFUSAL));
        }
        HttpBody body = HttpBody.read(response, MAX_ANSWER);
        if (!body.isWhole()) {
            return notOtlp("too much");
        }
        Headers trailers = response.header("grpc-status") == null ? response.trailers() : response.headers();
        return read(trailers, body);
    }

    private static Failure notGrpc(HttpBody body) {
        Failure failure = notOtlp(body.isHtml() ? "a web page" : "no gRPC");
        return looksLikeHttp(failure.detail());
    }

    private static @Nullable Failure read(Headers trailers, HttpBody body) {
        String status = trailers.get("grpc-status");
        if (status == null || !status.matches("\\d{1,3}")) {
            return notOtlp("gRPC without a status");
        }
        GrpcStatusCode code = GrpcStatusCode.fromValue(Integer.parseInt(status));
        return code == GrpcStatusCode.OK ? taken(body.bytes()) : refused(code, trailers);
    }

    private static @Nullable Failure taken(byte[] frame) {
        try {
            return frame.length < PREFIX || frame[0] != 0
                    ? notOtlp("a message that cannot be read")
                    : ExportAnswer.read(Arrays.copyOfRange(frame, PREFIX, frame.length));
        } catch (IllegalArgumentException e) {
            return notOtlp("another message");
        }
    }

    private static Failure refused(GrpcStatusCode code, Headers trailers) {
        String message = message(trailers.get("grpc-message"));
        Remedy remedy = code == GrpcStatusCode.RESOURCE_EXHAUSTED
                        && TOO_LARGE.matcher(message).find()
                ? Remedy.SPLIT
                : remedy(code);
        String reason = "export_grpc_" + code.name().toLowerCase(Locale.ROOT);
        return Failure.of(reason, "gRPC status " + code + meaning(code, remedy), remedy)
                .said(message)
                .retryAfter(details(trailers.get("grpc-status-details-bin")).retryDelay());
    }

    private static String meaning(GrpcStatusCode code, Remedy remedy) {
        return switch (code) {
            case UNAUTHENTICATED -> ": credentials are missing or wrong (OTEL_EXPORTER_OTLP_HEADERS)";
            case PERMISSION_DENIED -> ": not allowed with these credentials (OTEL_EXPORTER_OTLP_HEADERS)";
            case UNIMPLEMENTED -> ": this is not taken at this address";
            case INVALID_ARGUMENT -> ": the request is not understood";
            case RESOURCE_EXHAUSTED -> remedy == Remedy.SPLIT ? ": too large" : ": too many requests";
            case UNAVAILABLE -> ": out of order or overloaded";
            default -> "";
        };
    }

    private static Remedy remedy(GrpcStatusCode code) {
        return switch (code) {
            case CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, OUT_OF_RANGE, UNAVAILABLE, DATA_LOSS ->
                Remedy.RETRY;
            case UNIMPLEMENTED -> Remedy.NEVER;
            default -> Remedy.NONE;
        };
    }

    private static String message(@Nullable String encoded) {
        if (encoded == null) {
            return "";
        }
        try {
            return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return encoded;
        }
    }

    private static RpcStatus details(@Nullable String encoded) {
        try {
            return RpcStatus.read(
                    encoded == null ? new byte[0] : Base64.getDecoder().decode(encoded.strip()));
        } catch (IllegalArgumentException e) {
            return RpcStatus.read(new byte[0]);
        }
    }

    @Override
    Failure misunderstood(IOException error) {
        return String.valueOf(error.getMessage()).contains(HTTP_1)
                ? looksLikeHttp("the answer is no gRPC")
                : network(error);
    }

    @Override
    String whoElseCuts() {
        return "; is it a port for HTTP (OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf)?";
    }

    private static Failure looksLikeHttp(String detail) {
        String likely = ": looks like a port for HTTP (OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf)";
        return Failure.of("export_not_otlp", detail + likely, Remedy.NONE);
    }
}

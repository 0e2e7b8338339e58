package dev.rlm.sinks.otel.otlp;

import dev.rlm.sinks.delivery.DeliveryException;
import dev.rlm.sinks.delivery.Failure;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.opentelemetry.sdk.common.export.GrpcSender;
import io.opentelemetry.sdk.common.export.GrpcSenderConfig;
import io.opentelemetry.sdk.common.export.GrpcSenderProvider;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import io.opentelemetry.sdk.common.export.HttpResponse;
import io.opentelemetry.sdk.common.export.HttpSender;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import io.opentelemetry.sdk.common.export.HttpSenderProvider;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Gives the exporters of one SDK senders that know what became of a request, and every other component as it is found. An
 * export is successful only where all of it was taken; else its result has a cause that {@link Failure#of} understands.
 *
 * <p>Senders found by service files would be those of the whole program.
 */
public final class OtlpSenders implements ComponentLoader {
    private static final byte[] NOTHING = {};

    private final ComponentLoader others;
    private final UnaryOperator<String> variables;
    private final List<OtlpConnection> made = new ArrayList<>();

    /** With a function that puts the names under which people set variables into a message. */
    public OtlpSenders(ComponentLoader others, UnaryOperator<String> variables) {
        this.others = others;
        this.variables = variables;
        ExporterLog.quieten();
    }

    @Override
    public <T> Iterable<T> load(Class<T> type) {
        if (type == HttpSenderProvider.class) {
            HttpSenderProvider http = this::http;
            return List.of(type.cast(http));
        } else if (type == GrpcSenderProvider.class) {
            GrpcSenderProvider grpc = this::grpc;
            return List.of(type.cast(grpc));
        }
        return others.load(type);
    }

    /**
     * The connections by which a signal is sent.
     *
     * @param signal {@code traces}, {@code metrics} or {@code logs}
     * @param endpoint the address of that signal alone, where it has one
     */
    public List<OtlpConnection> connections(String signal, @Nullable String endpoint) {
        return made.stream().filter(each -> each.carries(signal, endpoint)).toList();
    }

    private HttpSender http(HttpSenderConfig config) {
        OtlpConnection connection = made(new HttpConnection(config, variables));
        return new HttpSender() {
            @Override
            public void send(MessageWriter message, Consumer<HttpResponse> onResponse, Consumer<Throwable> onError) {
                OtlpSenders.send(
                        connection, message, () -> onResponse.accept(new HttpTaken(200, "", NOTHING)), onError);
            }

            @Override
            public CompletableResultCode shutdown() {
                return connection.shutdown();
            }
        };
    }

    private GrpcSender grpc(GrpcSenderConfig config) {
        OtlpConnection connection = made(new GrpcConnection(config, variables));
        return new GrpcSender() {
            @Override
            public void send(MessageWriter message, Consumer<GrpcResponse> onResponse, Consumer<Throwable> onError) {
                OtlpSenders.send(
                        connection,
                        message,
                        () -> onResponse.accept(new GrpcTaken(GrpcStatusCode.OK, "", NOTHING)),
                        onError);
            }

            @Override
            public CompletableResultCode shutdown() {
                return connection.shutdown();
            }
        };
    }

    private OtlpConnection made(OtlpConnection connection) {
        made.add(connection);
        return connection;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the answer comes in any case
    private static void send(
            OtlpConnection connection, MessageWriter message, Runnable onTaken, Consumer<Throwable> onError) {
        connection
                .send(message::writeMessage)
                .thenAccept(failure ->
                        failure.ifPresentOrElse(reason -> onError.accept(new DeliveryException(reason)), onTaken));
    }

    /** Answer by which an exporter of HTTP sees that all was taken. */
    @SuppressWarnings("ArrayRecordComponent") // as the interface has it
    private record HttpTaken(int getStatusCode, String getStatusMessage, byte[] getResponseBody)
            implements HttpResponse {}

    /** The same of gRPC. */
    @SuppressWarnings("ArrayRecordComponent") // as the interface has it
    private record GrpcTaken(GrpcStatusCode getStatusCode, String getStatusDescription, byte[] getResponseMessage)
            implements GrpcResponse {}
}

package dev.rlm.sinks.otel.backend;

import static java.util.stream.Collectors.toMap;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A gRPC server on a free loopback port that brings what it gets to an {@link OtlpInbox}. */
final class OtlpGrpcServer {
    private final OtlpInbox inbox;
    private final Server server;

    /** Opens the door; each call runs on {@code executor}, which it may block. */
    OtlpGrpcServer(OtlpInbox inbox, Executor executor, @Nullable OtlpTls tls) throws IOException {
        this.inbox = inbox;
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .executor(executor);
        if (tls != null) {
            builder.sslContext(secure(tls));
        }
        for (OtlpSignal signal : OtlpSignal.values()) {
            builder.addService(service(signal));
        }
        server = builder.build().start();
    }

    private static SslContext secure(OtlpTls tls) throws IOException {
        SslContextBuilder context = GrpcSslContexts.forServer(
                tls.server().certificate().toFile(), tls.server().key().toFile());
        if (tls.client() != null) {
            context.trustManager(tls.client().certificate().toFile()).clientAuth(ClientAuth.REQUIRE);
        }
        return context.build();
    }

    int port() {
        return server.getPort();
    }

    void close() {
        server.shutdownNow();
    }

    private ServerServiceDefinition service(OtlpSignal signal) {
        String service = signal.grpcService();
        MethodDescriptor<byte[], byte[]> export = MethodDescriptor.newBuilder(new Bytes(), new Bytes())
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(service, "Export"))
                .build();
        return ServerServiceDefinition.builder(service)
                .addMethod(export, (call, headers) -> {
                    call.request(1);
                    return new Export(signal, call, headers);
                })
                .build();
    }

    private static Map<String, String> strings(Metadata headers) {
        return headers.keys().stream()
                .filter(key -> !key.endsWith(Metadata.BINARY_HEADER_SUFFIX))
                .collect(toMap(key -> key, key -> headers.get(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER))));
    }

    /** One call of an {@code Export} method. */
    private final class Export extends ServerCall.Listener<byte[]> {
        private final OtlpSignal signal;
        private final ServerCall<byte[], byte[]> call;
        private final Metadata headers;

        private Export(OtlpSignal signal, ServerCall<byte[], byte[]> call, Metadata headers) {
            this.signal = signal;
            this.call = call;
            this.headers = headers;
        }

        @Override
        public void onMessage(byte[] body) {
            OtlpAnswer answer = answer(body);
            if (answer == OtlpAnswer.ACCEPT) {
                call.sendHeaders(new Metadata());
                call.sendMessage(new byte[0]);
            }
            call.close(answer.grpcStatus(), new Metadata());
        }

        private OtlpAnswer answer(byte[] body) {
            try {
                return inbox.take(OtlpRequest.decode(signal, "grpc", strings(headers), body));
            } catch (InvalidProtocolBufferException | IllegalArgumentException | IllegalStateException malformed) {
                return OtlpAnswer.REJECT;
            } catch (InterruptedException closing) {
                return OtlpAnswer.UNAVAILABLE;
            }
        }
    }

    /** Messages as they are on the wire; the empty one is every service's plain consent. */
    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
            try {
                return message.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

package dev.rlm.benchmarks.otlp;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** Takes OTLP over gRPC on a free port of this machine, and counts spans. */
final class GrpcReceiver implements AutoCloseable {
    private static final int LARGEST = 16 << 20; // bytes of a message
    private static final String SERVICE = "opentelemetry.proto.collector.%s.v1.%sService";

    private final AtomicLong spans;
    private final Server server;

    GrpcReceiver(AtomicLong spans) throws IOException {
        this.spans = spans;
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .maxInboundMessageSize(LARGEST);
        for (String signal : List.of("Trace", "Metrics", "Logs")) {
            builder.addService(service(signal));
        }
        server = builder.build().start();
    }

    int port() {
        return server.getPort();
    }

    private ServerServiceDefinition service(String signal) {
        String name = SERVICE.formatted(signal.toLowerCase(Locale.ROOT), signal);
        MethodDescriptor<byte[], byte[]> export = MethodDescriptor.newBuilder(new Bytes(), new Bytes())
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(name, "Export"))
                .build();
        boolean counts = signal.equals("Trace");
        return ServerServiceDefinition.builder(name)
                .addMethod(export, (call, headers) -> {
                    call.request(1);
                    return new Export(call, counts);
                })
                .build();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    /** One request. */
    private final class Export extends ServerCall.Listener<byte[]> {
        private final ServerCall<byte[], byte[]> call;
        private final boolean counts;

        Export(ServerCall<byte[], byte[]> call, boolean counts) {
            this.call = call;
            this.counts = counts;
        }

        @Override
        public void onMessage(byte[] message) {
            if (counts) {
                spans.addAndGet(SpanCount.of(message, message.length));
            }
        }

        @Override
        public void onHalfClose() {
            call.sendHeaders(new Metadata());
            call.sendMessage(new byte[0]); // nothing was refused
            call.close(Status.OK, new Metadata());
        }
    }

    /** Messages as they are. */
    private static final class Bytes implements Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

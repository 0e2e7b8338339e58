package dev.rlm.benchmarks.otlp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A back end's behaviour, by the names that programs are given. */
enum Backend {
    /** Takes all, and counts it. */
    TAKING,
    /** Refuses connections. */
    REFUSING,
    /** Accepts connections, and never reads or answers. */
    HANGING;

    /** Opens one on a port of this machine. */
    Opened open() throws IOException {
        if (this == TAKING) {
            CountingReceiver receiver = new CountingReceiver();
            return new Opened(receiver.endpoint(Way.PROTOCOL), receiver::close);
        }
        ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        Runnable close = () -> close(socket);
        if (this == REFUSING) {
            close.run();
        }
        return new Opened("http://127.0.0.1:" + socket.getLocalPort(), close);
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A back end that is there until it is closed. */
    record Opened(String endpoint, Runnable stop) implements AutoCloseable {
        @Override
        public void close() {
            stop.run();
        }
    }
}

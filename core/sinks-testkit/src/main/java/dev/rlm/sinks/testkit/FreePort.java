package dev.rlm.sinks.testkit;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free loopback ports for processes that are told where to listen. They are below those that systems hand out: else a socket of
 * another test could take one before the process does, which may need many seconds to start or comes back later, and answer in
 * its place.
 */
public final class FreePort {
    private static final int ATTEMPTS = 100;
    private static final int LOWEST = 10_000;
    private static final int HANDED_OUT = 32_768; // by Linux from here on, by others from 49,152

    private FreePort() {}

    /** Returns a free port. */
    public static int find() throws IOException {
        try (ServerSocket socket = hold()) {
            return socket.getLocalPort();
        }
    }

    /** Returns a socket that holds a free port until it is closed. */
    public static ServerSocket hold() throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                int port = ThreadLocalRandom.current().nextInt(LOWEST, HANDED_OUT);
                return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
            } catch (BindException e) { // it is taken
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}

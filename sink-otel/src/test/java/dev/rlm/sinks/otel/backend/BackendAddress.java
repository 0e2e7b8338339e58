package dev.rlm.sinks.otel.backend;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Where a back end is to run.
 *
 * @param address the network address at which it listens
 * @param folder what it may write to; its files are in there
 */
record BackendAddress(String address, String folder, Map<Port, Integer> ports) {
    private static final String LOOPBACK = "127.0.0.1";
    private static final int ATTEMPTS = 100;
    private static final int LOWEST = 10_000;
    private static final int HANDED_OUT = 32_768; // by Linux from here on, by others from 49,152

    /**
     * On free loopback ports, all different since all are held until the last is found. They are below those that systems hand
     * out: else a socket of another test could take one before a back end does, which may need many seconds to start, and
     * answer in its place.
     */
    static BackendAddress free(String folder, List<Port> ports) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        Map<Port, Integer> free = new HashMap<>();
        for (Port port : ports) {
            ServerSocket socket = bind();
            held.add(socket);
            free.put(port, socket.getLocalPort());
        }
        for (ServerSocket socket : held) {
            socket.close();
        }
        return new BackendAddress(LOOPBACK, folder, free);
    }

    private static ServerSocket bind() throws IOException {
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

    /** At all addresses and on the usual ports. */
    static BackendAddress alone(String folder, List<Port> ports) {
        Map<Port, Integer> usual = new HashMap<>();
        ports.forEach(port -> usual.put(port, port.usual()));
        return new BackendAddress("0.0.0.0", folder, usual);
    }

    int port(Port port) {
        return Objects.requireNonNull(ports.get(port));
    }

    String file(String name) {
        return folder + "/" + name;
    }

    /** The variables by which configurations name all this. */
    Map<String, String> variables() {
        Map<String, String> variables = new HashMap<>();
        variables.put("LISTEN_HOST", address);
        variables.put("DATA", folder);
        ports.forEach((port, number) -> variables.put(port.variable(), number.toString()));
        return variables;
    }
}

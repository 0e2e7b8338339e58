package dev.rlm.sinks.otel.backend;

import dev.rlm.sinks.testkit.FreePort;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Where a back end is to run.
 *
 * @param address the network address at which it listens
 * @param folder what it may write to; its files are in there
 */
record BackendAddress(String address, String folder, Map<Port, Integer> ports) {
    private static final String LOOPBACK = "127.0.0.1";

    /** On free loopback ports, all different since all are held until the last is found. */
    static BackendAddress free(String folder, List<Port> ports) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        Map<Port, Integer> free = new HashMap<>();
        for (Port port : ports) {
            ServerSocket socket = FreePort.hold();
            held.add(socket);
            free.put(port, socket.getLocalPort());
        }
        for (ServerSocket socket : held) {
            socket.close();
        }
        return new BackendAddress(LOOPBACK, folder, free);
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

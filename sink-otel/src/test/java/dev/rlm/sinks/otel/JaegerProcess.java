package dev.rlm.sinks.otel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;

/** A Jaeger that runs as a process of ours, on free loopback ports. It dies with this JVM, however that dies. */
final class JaegerProcess implements JaegerHost {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final String ADDRESS = "127.0.0.1";

    /**
     * Becomes Jaeger, after leaving behind a watcher that kills it when our end of its standard input closes. (A shell
     * takes standard input away from what it puts in the background, hence the detour.)
     */
    private static final String SCRIPT = """
            exec 3<&0
            { cat <&3; kill -9 $$; } >/dev/null 2>&1 &
            exec "$0" --config "$1" </dev/null 3<&-
            """;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<JaegerPort, Integer> ports;
    private final Path log;
    private final Process process;

    private JaegerProcess(Path binary) throws IOException {
        ports = freePorts();
        log = Files.createTempFile("jaeger", ".log");
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", SCRIPT, binary.toString(), config().toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("LISTEN_HOST", ADDRESS);
        ports.forEach((port, number) -> builder.environment().put(port.variable(), number.toString()));
        process = builder.start();
    }

    /** Starts the binary and waits until it is ready. */
    static JaegerProcess start(Path binary) throws IOException {
        JaegerProcess jaeger = new JaegerProcess(binary);
        try {
            Awaitility.await().atMost(PATIENCE).pollInterval(POLL).until(jaeger::ready);
            return jaeger;
        } catch (RuntimeException e) {
            jaeger.close();
            throw e;
        }
    }

    @Override
    public String address() {
        return ADDRESS;
    }

    @Override
    public int port(JaegerPort port) {
        return Objects.requireNonNull(ports.get(port));
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
        try {
            Files.deleteIfExists(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean ready() throws IOException, InterruptedException {
        if (!process.isAlive()) {
            throw new IllegalStateException("Jaeger ended at once: " + Files.readString(log));
        }
        URI status = URI.create("http://" + ADDRESS + ":" + port(JaegerPort.HEALTH) + "/status");
        try {
            return client.send(HttpRequest.newBuilder(status).build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static Path config() {
        URL config = Objects.requireNonNull(JaegerProcess.class.getResource("jaeger.yaml"));
        try {
            return Path.of(config.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Finds as many free ports as Jaeger has, all different since all are held until the last is found. */
    private static Map<JaegerPort, Integer> freePorts() throws IOException {
        Map<JaegerPort, ServerSocket> held = new EnumMap<>(JaegerPort.class);
        Map<JaegerPort, Integer> free = new EnumMap<>(JaegerPort.class);
        for (JaegerPort port : JaegerPort.values()) {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            held.put(port, socket);
            free.put(port, socket.getLocalPort());
        }
        for (ServerSocket socket : held.values()) {
            socket.close();
        }
        return free;
    }
}

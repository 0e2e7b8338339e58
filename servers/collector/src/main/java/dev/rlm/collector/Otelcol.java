package dev.rlm.collector;

import dev.rlm.cli.process.Subprocess;
import dev.rlm.json.Json;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** An OpenTelemetry Collector in a process of its own, which takes OTLP by HTTP and sends all of it on. */
final class Otelcol implements AutoCloseable {
    private static final List<String> NAMES = List.of("otelcol-contrib", "otelcol");
    private static final String TOKEN = "RLM_OTELCOL_TOKEN"; // in no file, which a killed process would leave
    private static final Duration START_TIME = Duration.ofSeconds(30);
    private static final long LOOK_MILLIS = 50;
    private static final int ATTEMPTS = 3; // at a free port, which another program may take before it does

    /** Ends the collector when the input does, which is when this process has ended in whatever way. */
    private static final String BOUND = "exec 3<&0; \"$@\" </dev/null 3<&- & child=$!;"
            + " { cat <&3; kill $child; } >/dev/null 2>&1 & exec 3<&-; wait $child";

    private final Subprocess process;
    private final Path folder;
    private final int port;

    private Otelcol(Subprocess process, Path folder, int port) {
        this.process = process;
        this.folder = folder;
        this.port = port;
    }

    /** Tells that the program could not be started. */
    static final class StartException extends IOException {
        private static final long serialVersionUID = 1;

        StartException(String message) {
            super(message);
        }
    }

    /** Returns the program on the path of such a variable. */
    static Optional<Path> find(String path) {
        return NAMES.stream()
                .flatMap(name -> Stream.of(path.split(File.pathSeparator))
                        .filter(folder -> !folder.isEmpty())
                        .map(folder -> Path.of(folder, name)))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    /**
     * Starts the program, and waits until it listens.
     *
     * @throws StartException if it does not
     */
    static Otelcol start(Path program, CollectedCommand.Endpoint to) throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            Otelcol started = launch(program, to);
            boolean listens = false;
            try {
                listens = started.awaitListening();
            } finally {
                if (!listens) {
                    started.close();
                }
            }
            if (listens) {
                return started;
            } else if (attempt == ATTEMPTS) {
                throw new StartException(program + " does not listen: its messages tell why");
            }
        }
    }

    private static Otelcol launch(Path program, CollectedCommand.Endpoint to) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path folder = Files.createTempDirectory("rlm-otelcol"); // its owner's alone
        Path config = folder.resolve("config.yaml"); // of which JSON is a part
        Files.write(config, Json.bytes(config(port, to)));
        return new Otelcol(
                Subprocess.start(
                        List.of("/bin/sh", "-c", BOUND, "sh", program.toString(), "--config", config.toString()),
                        environment -> {
                            to.goAroundProxies(environment);
                            if (to.token() != null) {
                                environment.put(TOKEN, to.token().replace("$", "$$"));
                            }
                        },
                        Subprocess.Output.BOUND),
                folder,
                port);
    }

    private static Map<String, Object> config(int port, CollectedCommand.Endpoint to) {
        Map<String, Object> exporter = new LinkedHashMap<>();
        exporter.put("endpoint", to.url());
        if (to.token() != null) {
            exporter.put("headers", Map.of("Authorization", "Bearer ${env:" + TOKEN + "}"));
        }
        exporter.put("retry_on_failure", Map.of("initial_interval", "200ms", "max_interval", "2s"));
        Map<String, Object> pipeline = Map.of("receivers", List.of("otlp"), "exporters", List.of("otlphttp"));
        return Map.of(
                "receivers",
                Map.of("otlp", Map.of("protocols", Map.of("http", Map.of("endpoint", "127.0.0.1:" + port)))),
                "exporters",
                Map.of("otlphttp", exporter),
                "service",
                Map.of(
                        "telemetry",
                        Map.of("metrics", Map.of("level", "none"), "logs", Map.of("level", "warn")),
                        "pipelines",
                        Map.of("traces", pipeline, "logs", pipeline, "metrics", pipeline)));
    }

    private boolean awaitListening() throws InterruptedException {
        long by = System.nanoTime() + START_TIME.toNanos();
        while (process.isRunning() && System.nanoTime() - by < 0) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
                return process.isRunning(); // else it is another program's
            } catch (IOException e) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        }
        return false;
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    boolean isRunning() {
        return process.isRunning();
    }

    /** Ends it, once it has sent on what it has taken, for which it has so long. */
    void end(Duration time) {
        process.end(time);
    }

    @Override
    public void close() {
        process.end();
        try {
            Files.deleteIfExists(folder.resolve("config.yaml"));
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            // it is in a folder for what may be deleted
        }
    }
}

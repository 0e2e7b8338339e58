package dev.rlm.sinks.otel.backend;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A back end that runs as a process of ours, on free loopback ports and with a folder of its own. It dies with this JVM,
 * however that dies.
 */
final class ProcessHost implements Host {
    private static final Duration PATIENCE = Duration.ofMinutes(3); // Phoenix takes a minute on a busy machine
    private static final Duration POLL = Duration.ofMillis(20);
    private static final int ATTEMPTS = 3;
    private static final int EXCERPT = 40;
    private static final String LOG = "log";

    /**
     * Becomes the program, after leaving behind a watcher that kills it, and all that it started, when our end of its
     * standard input closes. (A shell takes standard input away from what it puts in the background, hence the detour.)
     */
    private static final String SCRIPT = """
            exec 3<&0
            { cat <&3; kill -9 -$$ || kill -9 $$; } >/dev/null 2>&1 &
            exec "$0" "$@" </dev/null 3<&-
            """;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Program program;
    private final Path folder;
    private final BackendAddress place;
    private final ProcessBuilder builder;
    private Process process;

    private ProcessHost(Program program, Path binary) throws IOException {
        this.program = program;
        folder = Files.createTempDirectory("backend");
        place = BackendAddress.free(folder.toString(), program.ports());
        for (Map.Entry<String, String> file : program.files().entrySet()) {
            Files.writeString(folder.resolve(file.getKey()), file.getValue());
        }
        builder = new ProcessBuilder(command(binary))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(LOG).toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("OTEL_"));
        builder.environment().putAll(place.variables());
        builder.environment().putAll(program.variables());
        process = builder.start();
    }

    /** Starts the binary and waits until it is ready. */
    static ProcessHost start(Program program, Path binary) throws IOException {
        for (int attempt = 1; ; attempt++) {
            ProcessHost host = new ProcessHost(program, binary);
            try {
                host.awaitReady();
                if (!host.ended()) {
                    return host;
                }
            } catch (ConditionTimeoutException e) {
                throw host.failed("was not ready in time", e);
            }
            if (attempt == ATTEMPTS) { // somebody else may have taken a free port before it did
                throw host.failed("ended at once", null);
            }
            host.close();
        }
    }

    private List<String> command(Path binary) {
        List<String> command = new ArrayList<>();
        if (onPath("setsid")) {
            command.add("setsid"); // a process group of its own, for what it starts itself
        }
        command.addAll(List.of("sh", "-c", SCRIPT, binary.toString()));
        command.addAll(program.arguments().apply(place));
        return command;
    }

    private static boolean onPath(String name) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(each -> Files.isExecutable(Path.of(each, name)));
    }

    @Override
    public String address() {
        return place.address();
    }

    @Override
    public int port(Port port) {
        return place.port(port);
    }

    @Override
    public void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void startAgain() throws IOException {
        process = builder.start();
        awaitReady();
        if (ended()) {
            throw failed("did not start again", null);
        }
    }

    private void awaitReady() {
        Awaitility.await().atMost(PATIENCE).pollInterval(POLL).until(() -> ready() || ended());
    }

    @Override
    public void close() {
        kill();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean ended() {
        return !process.isAlive();
    }

    private boolean ready() throws InterruptedException {
        URI uri = URI.create("http://" + address() + ":" + port(program.door()) + program.readyPath());
        try {
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == program.readyStatus();
        } catch (IOException notYet) {
            return false;
        }
    }

    private IllegalStateException failed(String how, Throwable cause) throws IOException {
        List<String> log = Files.readAllLines(folder.resolve(LOG));
        close();
        return new IllegalStateException(
                program.name() + " " + how + "; its last words:\n"
                        + String.join("\n", log.subList(Math.max(0, log.size() - EXCERPT), log.size())),
                cause);
    }
}

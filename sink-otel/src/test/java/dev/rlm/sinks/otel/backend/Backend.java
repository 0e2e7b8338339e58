package dev.rlm.sinks.otel.backend;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real back end, empty at first and nobody else's: the binary that a variable such as {@code JAEGER_BIN} names where it
 * is set, else a container where there is an image for it and Docker answers. Where there is neither, its start skips the
 * test, or fails it if {@code RLM_REQUIRE_BACKENDS} is true.
 *
 * <p>As a static field with {@code @RegisterExtension} it runs while the tests of that class do.
 */
public abstract class Backend implements BeforeAllCallback, AfterAllCallback, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(20);

    private final Program program;
    private @Nullable Host host;

    Backend(Program program) {
        this.program = program;
    }

    @Override
    public final void beforeAll(ExtensionContext context) throws IOException {
        open();
    }

    @Override
    public final void afterAll(ExtensionContext context) {
        close();
    }

    /** Starts it and returns when it is ready. */
    final void open() throws IOException {
        String binary = System.getenv(program.variable());
        if (binary != null && !binary.isBlank()) {
            host = ProcessHost.start(program, Path.of(binary));
            return;
        }
        boolean hasImage = !program.image().equals(Program.NO_IMAGE);
        if (!hasImage || !ContainerHost.dockerAnswers()) {
            giveUp("No " + program.name() + ": set " + program.variable() + " to its binary"
                    + (hasImage ? ", or start Docker." : "."));
        }
        host = ContainerHost.start(program);
    }

    /** Ends the process or container and waits for its end. */
    @Override
    public final void close() {
        Host running = host;
        host = null;
        if (running != null) {
            running.close();
        }
    }

    /** Kills its process; its data stay. */
    public final void kill() {
        running().kill();
    }

    /** Starts it again after {@link #kill}, at the same address and with its data, and returns when it is ready. */
    public final void startAgain() throws IOException {
        running().startAgain();
    }

    final String url(Port port) {
        return "http://" + running().address() + ":" + running().port(port);
    }

    private Host running() {
        return Objects.requireNonNull(host, "not started");
    }

    static ConditionFactory await() {
        return Awaitility.await().atMost(PATIENCE).pollInterval(POLL);
    }

    private static void giveUp(String missing) {
        if ("true".equalsIgnoreCase(System.getenv("RLM_REQUIRE_BACKENDS"))) {
            throw new AssertionError(missing);
        }
        // The report alone tells nobody who watches the build that a back end was not tried.
        System.err.println("Skipped: " + missing);
        Assumptions.abort(missing);
    }
}

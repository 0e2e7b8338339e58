package dev.rlm.cli.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** Programs of this machine that tests need, such as those of sandboxes. */
public final class Programs {
    private Programs() {}

    /** Returns the Python itself that {@code python3} starts, which may be a script that looks for it. */
    public static Path python() {
        try {
            Process process =
                    new ProcessBuilder("python3", "-I", "-c", "import sys; print(sys.executable, end='')").start();
            return Path.of(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Skips the test where its programs are missing, and says so; where all has to be there it fails. */
    public static void require(String... programs) throws InterruptedException {
        for (String program : programs) {
            if (!isThere(program)) {
                String missing = "there is no " + program + " here";
                if (Boolean.parseBoolean(System.getenv("RLM_REQUIRE_BACKENDS"))) {
                    throw new AssertionError(missing);
                }
                System.err.println("Skipped: " + missing);
                Assumptions.abort(missing);
            }
        }
    }

    private static boolean isThere(String program) throws InterruptedException {
        try {
            return new ProcessBuilder(program, "--version")
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}

package dev.rlm.runner.sandbox;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** Programs that tests of sandboxes need. */
public final class Programs {
    private Programs() {}

    /** Returns the Python itself that {@code python3} starts. */
    public static Path python() {
        return Python.find("python", "python3").executable();
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

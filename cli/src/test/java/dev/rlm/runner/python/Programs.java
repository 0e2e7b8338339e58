package dev.rlm.runner.python;

import java.io.IOException;
import org.junit.jupiter.api.Assumptions;

/** The programs that tests of this package need. */
final class Programs {
    private Programs() {}

    /** Skips the test where its programs are missing, and says so; where all has to be there it fails. */
    static void require(String... programs) throws InterruptedException {
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

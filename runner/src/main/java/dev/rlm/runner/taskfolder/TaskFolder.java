package dev.rlm.runner.taskfolder;

import dev.rlm.episodes.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Task in a folder of its own.
 *
 * @param task its instruction
 * @param agentTime how long the agent may work; {@code null} for any time
 * @param verifierTime how long the tests may take
 * @param workdir the work folder's name to commands; {@code null} for the usual one
 */
public record TaskFolder(
        Path folder,
        String id,
        int row,
        String task,
        @Nullable Duration agentTime,
        Duration verifierTime,
        @Nullable String workdir)
        implements Sample {
    /** Returns the script that solves the task, as a command; empty where there is none. */
    public Optional<String> solution() throws IOException {
        Path script = folder.resolve("solution/solve.sh");
        return Files.isRegularFile(script) ? Optional.of(Files.readString(script)) : Optional.empty();
    }

    /** Returns the folder of the files that the task starts from; it may not exist. */
    Path environment() {
        return folder.resolve("environment");
    }

    /** Returns the folder of the verifier. */
    Path tests() {
        return folder.resolve("tests");
    }

    boolean hasDockerfile() {
        return Files.isRegularFile(environment().resolve("Dockerfile"));
    }
}

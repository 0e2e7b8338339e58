package dev.rlm.runner.sandbox;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.episodes.SetupException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The options that say where and within which limits an agent's code is run. */
public final class ExecutionOptions {
    /** Bytes of each folder for the code's files, and of each of them. */
    static final long FILE_BYTES = 64L << 20;

    private static final int MIB = 1 << 20;

    @Option(names = "--python", paramLabel = "PATH", description = "The Python that runs an agent's code (python3).")
    private String python = "python3";

    @Option(
            names = "--exec-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long an agent's code may run in an action (30s).")
    private Duration timeout = Duration.ofSeconds(30);

    @Option(names = "--exec-memory", paramLabel = "MIB", description = "How much memory it may use, in MiB (1024).")
    private int memory = 1024;

    @Option(names = "--exec-processes", paramLabel = "N", description = "How many processes it may be (64).")
    private int processes = 64;

    @Option(names = "--exec-files", paramLabel = "N", description = "How many files it may have (10000).")
    private int files = 10_000;

    @Option(names = "--max-output", paramLabel = "BYTES", description = "How much is shown of its output (65536).")
    private int maxOutput = 1 << 16;

    @Option(names = "--unsafe-exec", description = "Run agents' code without a sandbox: it may do all that you may.")
    private boolean unsafe;

    /** Returns what the user is to be warned of. */
    public Optional<String> warning() {
        return unsafe
                ? Optional.of("--unsafe-exec: the agent's code runs without a sandbox, and may do all that you may")
                : Optional.empty();
    }

    /** Returns what the code is run in, unless something else decides on it. */
    public Sandbox sandbox() {
        return unsafe ? Sandbox.NONE : Sandbox.BUBBLEWRAP;
    }

    /** Returns how much memory the code may use, in MiB. */
    public int memory() {
        return memory;
    }

    /** Returns how many processes it may be. */
    public int processes() {
        return processes;
    }

    /** Returns how much is shown of its output, in bytes. */
    public int maxOutput() {
        return maxOutput;
    }

    String python() {
        return python;
    }

    /** Returns how long an action may take, by the clock on the wall. */
    public Duration timeout() {
        return timeout;
    }

    /** Returns a time as a number of seconds. */
    static String seconds(Duration timeout) {
        return BigDecimal.valueOf(timeout.toMillis(), 3).stripTrailingZeros().toPlainString();
    }

    /** Returns the limits, as the harness takes them. */
    List<String> arguments(Duration timeout) {
        long bytes = (long) memory * MIB;
        return Stream.of(seconds(timeout), bytes, processes, files, FILE_BYTES, maxOutput)
                .map(Object::toString)
                .toList();
    }

    /** Refuses what is out of range. */
    public void check() {
        Bounds.checkRange("--exec-memory", memory, 64, MIB);
        Bounds.checkRange("--exec-processes", processes, 1, 10_000);
        Bounds.checkRange("--exec-files", files, 100, 1_000_000);
        Bounds.checkRange("--max-output", maxOutput, 100, 64 * MIB);
        if (timeout.toMillis() < 1) {
            throw new SetupException("--exec-timeout is not valid: expected a time above 0");
        }
    }
}

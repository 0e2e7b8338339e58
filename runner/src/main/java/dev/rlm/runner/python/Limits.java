package dev.rlm.runner.python;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

/**
 * What an agent's code may use.
 *
 * @param time of one action, by the clock on the wall
 * @param memory bytes of all its processes together
 * @param processes the interpreter among them
 * @param files of its folders, in the sandbox
 * @param output bytes of an action's output that are kept
 */
record Limits(Duration time, long memory, int processes, int files, int output) {
    /** Bytes of each folder for its files, and of each of them. */
    static final long FILE_BYTES = 64L << 20;

    String seconds() {
        return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
    }

    /** As the harness takes them. */
    List<String> arguments() {
        return List.of(
                seconds(),
                String.valueOf(memory),
                String.valueOf(processes),
                String.valueOf(files),
                String.valueOf(FILE_BYTES),
                String.valueOf(output));
    }
}

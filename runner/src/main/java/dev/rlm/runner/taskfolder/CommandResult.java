package dev.rlm.runner.taskfolder;

import dev.rlm.sinks.event.RunStatus;
import org.jspecify.annotations.Nullable;

/**
 * Result of a command line.
 *
 * @param output what it wrote, shortened to what is shown of it
 * @param exitCode that of the shell, or, below 0, the signal that killed it; of no meaning where it was ended
 * @param ended what it did that it was ended, such as {@code ran longer than 30 s}; {@code null} where it came to its own end
 * @param status of the tool's call
 */
record CommandResult(String output, int exitCode, @Nullable String ended, int status) {
    /** Returns a command that came to its own end. */
    static CommandResult exited(String output, int exitCode) {
        return new CommandResult(output, exitCode, null, exitCode == 0 ? RunStatus.OK : RunStatus.UNKNOWN);
    }

    /** Returns why it did not work, for the agent; {@code null} where it did. */
    @Nullable
    String error() {
        if (ended != null) {
            return "The command " + ended + ". Files in the work folder stay.";
        }
        return exitCode == 0 ? null : exitCode < 0 ? "killed by signal " + -exitCode : "exit code " + exitCode;
    }
}

package dev.rlm.runner.taskfolder;

import java.io.IOException;
import java.nio.file.Path;

/** Place in which the commands of one run are carried out. Used by one thread, which has to outlive it. */
interface TaskSandbox extends AutoCloseable {
    /** Returns the work folder's name to commands. */
    String workdir();

    /** Runs a command line in the work folder, within the time that a command may take. */
    CommandResult run(String command) throws IOException, InterruptedException;

    /**
     * Runs the task's verifier, which no command has seen.
     *
     * @param logs an empty folder, which the verifier knows as {@code /logs/verifier}
     */
    CommandResult verify(Path logs) throws IOException, InterruptedException;

    /** Ends all that runs in it, and deletes its files. */
    @Override
    void close();
}

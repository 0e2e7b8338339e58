package dev.rlm.cli;

import dev.rlm.sinks.SinkConfig;

/** The program {@code rlm}, for verbs that show what others of its verbs tell. Found by {@code ServiceLoader}. */
public interface Program {
    /**
     * Executes what the arguments say, as a process of its own would. May be called by several threads.
     *
     * @return the exit code
     */
    int execute(Console console, SinkConfig config, String... arguments);
}

package dev.rlm.cli;

import dev.rlm.sinks.SinkConfig;
import java.util.ServiceLoader;

/** The program {@code rlm}, for verbs that show what others of its verbs tell. Found by {@code ServiceLoader}. */
public interface Program {
    /** Returns the program of this class path. */
    static Program find() {
        return ServiceLoader.load(Program.class)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the program cannot be found"));
    }

    /**
     * Executes what the arguments say, as a process of its own would. May be called by several threads.
     *
     * @param journals opens the journals that verbs read
     * @return the exit code
     */
    int execute(Console console, SinkConfig config, Journals journals, String... arguments);
}

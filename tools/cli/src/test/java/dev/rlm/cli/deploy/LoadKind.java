package dev.rlm.cli.deploy;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.SampleAgent;
import java.io.IOException;
import java.nio.file.Path;

/** Programs by how many live at once, and for how long. */
enum LoadKind {
    RLM_3_SECONDS(1, Main.class, "run --latency 40ms"),
    RLM_3_SECONDS_THRICE(3, Main.class, "run --latency 40ms"),
    AGENT_3_SECONDS(1, SampleAgent.class, "2.5"),
    AGENT_3_SECONDS_THRICE(3, SampleAgent.class, "2.5"),
    RLM_2_MINUTES(1, Main.class, "run --latency 2200ms"),
    AGENT_2_MINUTES(1, SampleAgent.class, "120");

    private final int processes;
    private final Class<?> program;
    private final String arguments;

    LoadKind(int processes, Class<?> program, String arguments) {
        this.processes = processes;
        this.program = program;
        this.arguments = arguments;
    }

    boolean isLong() {
        return name().endsWith("MINUTES");
    }

    boolean isAlone() {
        return processes == 1;
    }

    Load start(Path folder) throws IOException {
        return Load.start(folder.resolve(name()), processes, program, arguments.split(" "));
    }
}

package dev.rlm.cli.launcher;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A program whose only run starts {@code rlm run} as a process within its only step. */
public final class NestingProgram {
    private NestingProgram() {}

    /** Takes the folder of the process that it starts. */
    public static void main(String[] arguments) throws Exception {
        try (Sinks sinks = Sinks.fromEnvironment();
                Run run = sinks.startRun(RunSpec.builder("nesting")
                        .runId("mother of all")
                        .parent(System.getenv())
                        .build());
                Step step = run.startStep()) {
            Map<String, String> environment = new HashMap<>(System.getenv());
            step.traceContext().ifPresent(context -> environment.putAll(context.toEnvironment()));
            try (RlmProcess child = RlmProcess.start(
                    Path.of(arguments[0]), environment, "run", "--samples", "2", "--rollouts", "1", "--verbose")) {
                step.complete("exit code " + child.process().waitFor());
            }
            run.complete("");
        }
    }
}

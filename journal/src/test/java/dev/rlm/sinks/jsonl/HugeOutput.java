package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.nio.file.Path;

/** A process that records a step with an output of a given length, and has a given heap for all. */
final class HugeOutput {
    private HugeOutput() {}

    static Process start(Path directory, int length, int heapMegabytes) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-Xmn4m",
                        "-Xmx" + heapMegabytes + "m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HugeOutput.class.getName(),
                        directory.toString(),
                        String.valueOf(length))
                .inheritIO()
                .start();
    }

    public static void main(String[] args) {
        try (Sinks sinks = Sinks.builder()
                        .add(
                                "jsonl",
                                JsonlSink.builder().directory(Path.of(args[0])).build())
                        .build();
                Run run = sinks.startRun(RunSpec.builder("calc").runId("huge").build())) {
            try (Step step = run.startStep("")) {
                step.complete("x".repeat(Integer.parseInt(args[1])));
            }
            run.complete("done");
        }
    }
}

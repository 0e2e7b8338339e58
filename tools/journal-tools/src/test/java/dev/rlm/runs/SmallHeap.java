package dev.rlm.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.Console;
import dev.rlm.cli.program.Rlm;
import dev.rlm.sinks.SinkConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of its own for a verb, which ends where the verb needs more memory than it has. */
public final class SmallHeap {
    private static final int PATIENCE_SECONDS = 300;

    private SmallHeap() {}

    /** Runs a verb to its end, which is to be a good one, and returns what it prints. */
    public static String run(Path folder, int megabytes, String... arguments) throws IOException, InterruptedException {
        Path out = folder.resolve("small-heap.out");
        Path err = folder.resolve("small-heap.err");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + megabytes + "m",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:TieredStopAtLevel=1", // over before code that is optimised pays
                "-cp",
                System.getProperty("java.class.path"),
                SmallHeap.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        builder.environment().put("RLM_JOURNAL_INDEX", "none");
        Process process = builder.start();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("it has ended in %d s", PATIENCE_SECONDS)
                    .isTrue();
            assertThat(process.exitValue()).as(Files.readString(err)).isZero();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(out);
    }

    public static void main(String[] args) {
        System.exit(Rlm.execute(Console.system(), SinkConfig.system(), args));
    }
}

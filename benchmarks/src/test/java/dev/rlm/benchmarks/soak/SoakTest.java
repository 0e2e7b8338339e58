package dev.rlm.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.benchmarks.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A soak of {@code -Dsoak.minutes=N} in a process of its own, with a heap that holds no more than is needed. */
@Tag("thorough")
class SoakTest {
    private static final double MINUTES = Double.parseDouble(System.getProperty("soak.minutes", "2"));
    private static final long PATIENCE_SECONDS = (long) (MINUTES * 60) + 300;

    @TempDir
    private Path folder;

    @Test
    void soak_pilesUpNothing_andLosesNothing() throws Exception {
        Process soak = start();
        try {
            assertThat(soak.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("it ends")
                    .isTrue();
            assertThat(soak.exitValue()).as(() -> read("out") + read("err")).isZero();
            assertThat(read("out")).contains("\ngood");
        } finally {
            soak.destroyForcibly();
        }
    }

    private Process start() throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "soak",
                "--minutes",
                String.valueOf(MINUTES),
                "--round",
                MINUTES > 10 ? "10" : "5");
        return new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
    }

    private String read(String name) {
        try {
            return Files.readString(folder.resolve(name));
        } catch (IOException e) {
            return e.toString();
        }
    }
}

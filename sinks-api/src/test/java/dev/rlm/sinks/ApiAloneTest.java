package dev.rlm.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The API without an implementation of the hub: recording does nothing, and that is said once. */
class ApiAloneTest {
    private static final String OWN_CLASS_PATH = System.getProperty("java.class.path"); // no implementation is on it

    @Test
    void programThatRecords_runsToItsEnd_andIsToldOnceThatNothingIsRecorded() throws Exception {
        assertNothingRecorded(
                OWN_CLASS_PATH, "dev.rlm:sinks-core is not on the class path: add it, or a sink, which brings it");
    }

    @Test
    void implementationThatCannotBeLoaded_isToldOnce_andStopsNoProgram(@TempDir Path folder) throws Exception {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(HubProvider.class.getName()), "com.example.Gone");

        assertNothingRecorded(
                folder + File.pathSeparator + OWN_CLASS_PATH,
                "the hub cannot be loaded: dev.rlm.sinks.HubProvider: Provider com.example.Gone not found");
    }

    private static void assertNothingRecorded(String classPath, String reason)
            throws IOException, InterruptedException {
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath,
                        NothingRecorded.class.getName())
                .redirectErrorStream(true)
                .start();
        List<String> lines;
        try (var output = program.inputReader(StandardCharsets.UTF_8)) {
            lines = output.lines().toList();
        }

        assertThat(program.waitFor()).isZero();
        assertThat(lines).first().asString().endsWith(" WARN dev.rlm.sinks -- nothing is recorded: " + reason);
        assertThat(lines.subList(1, lines.size()))
                .containsExactly(
                        "recording: false",
                        "reward: false",
                        "metrics: false",
                        "content: [REDACTED:failed]",
                        "flushed: false",
                        "false: " + reason,
                        "own sink: false");
    }
}

package dev.rlm.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The script that starts the program, as far as it goes without a build. */
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {
    private static final Path LAUNCHER = Path.of("..", "rlm").toAbsolutePath().normalize();

    @TempDir
    private Path folder;

    @Test
    void machineWithoutJava_isTold() throws Exception {
        assertThat(start(LAUNCHER, folder))
                .isEqualTo("1 rlm: there is no Java here: install JDK 17 or newer, or set JAVA_HOME\n");
    }

    @Test
    void machineWithoutCompiler_isToldThroughALinkToo() throws Exception {
        Path root = Files.createDirectory(folder.resolve("tree"));
        Files.copy(LAUNCHER, root.resolve("rlm"));
        Files.createFile(root.resolve("pom.xml"));
        Path java = Files.createDirectories(folder.resolve("jre/bin")).resolve("java");
        assertThat(Files.createFile(java).toFile().setExecutable(true)).isTrue();
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("tree", "rlm"));

        assertThat(start(link, folder.resolve("jre")))
                .isEqualTo("1 rlm: there is no Java compiler here: install JDK 17 or newer, or set JAVA_HOME\n");
        assertThat(root.resolve("runner/target/built")).doesNotExist();
    }

    private String start(Path launcher, Path javaHome) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(launcher.toString(), "run")
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", javaHome.toString());
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + " " + said;
    }
}

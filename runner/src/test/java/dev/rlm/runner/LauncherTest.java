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

    @Test
    void build_isToldModuleByModule_andLeavesStdoutToTheProgram() throws Exception {
        Path root = tree("""
                echo '[INFO] Scanning for projects...'
                echo '[INFO] --------------------------< dev.rlm:rlm-parent >--------------------------'
                echo '[INFO] Building rlm 0.1.0-SNAPSHOT                                         [1/2]'
                echo '[WARNING] a word of Maven to nobody' >&2
                echo '[INFO] --------------------------< dev.rlm:sinks-api >---------------------------'
                printf '[INFO] Building rlm sinks: API 0.1.0-SNAPSHOT                              [2/2]'
                """);

        assertThat(build(root)).isZero();

        Path log = root.resolve("runner/target/build.log");
        assertThat(folder.resolve("out")).hasContent("a result");
        assertThat(Files.readAllLines(folder.resolve("err")))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("rlm: building; ").endsWith("; log: " + log),
                        line -> assertThat(line).isEqualTo("rlm: building rlm-parent (1 of 2) ..."),
                        line -> assertThat(line).isEqualTo("rlm: building sinks-api (2 of 2) ..."),
                        line -> assertThat(line).isEqualTo("rlm: preparing a fast start ..."),
                        line -> assertThat(line).matches("rlm: built in \\d+ s"));
        assertThat(log).content().contains("Scanning for projects", "[2/2]", "a word of Maven");
        assertThat(build(root)).isZero();
        assertThat(folder.resolve("err")).isEmptyFile();
    }

    @Test
    void buildThatFails_tellsItsLastLinesAndWhereAllAre() throws Exception {
        Path root = tree("for i in $(seq 1 100); do echo \"[ERROR] line $i\"; done; exit 1\n");

        assertThat(build(root)).isEqualTo(1);

        Path log = root.resolve("runner/target/build.log");
        assertThat(folder.resolve("out")).isEmptyFile();
        assertThat(Files.readAllLines(folder.resolve("err")))
                .hasSize(22)
                .contains("[ERROR] line 81", "[ERROR] line 100")
                .last()
                .isEqualTo("rlm: the build failed; all that it said is in " + log);
        assertThat(Files.readAllLines(log)).hasSize(100);
        assertThat(root.resolve("runner/target/built")).doesNotExist();
    }

    /** A tree to be built, with a Java of its own and a Maven that does this. */
    private Path tree(String maven) throws IOException {
        Path root = Files.createDirectory(folder.toRealPath().resolve("tree"));
        Files.copy(LAUNCHER, root.resolve("rlm"));
        Files.createFile(root.resolve("pom.xml"));
        Files.createDirectories(root.resolve("sinks-api/src/main"));
        Files.createFile(root.resolve("sinks-api/pom.xml"));
        program(root.resolve("jdk/bin/java"), "echo a result\n");
        program(root.resolve("jdk/bin/javac"), "echo javac 17.0.1\n");
        program(root.resolve("tools/mvn"), maven);
        return root;
    }

    private static void program(Path file, String script) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + script);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private int build(Path root) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(root.resolve("rlm").toString(), "run")
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().put("JAVA_HOME", root.resolve("jdk").toString());
        builder.environment().merge("PATH", root.resolve("tools").toString(), (path, tools) -> tools + ":" + path);
        return builder.start().waitFor();
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

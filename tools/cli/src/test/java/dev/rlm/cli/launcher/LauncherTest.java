package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script that starts the program, as far as it goes without a build. */
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {
    private static final Path LAUNCHER =
            Path.of("..", "..", "rlm").toAbsolutePath().normalize();

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
        assertThat(root.resolve("tools/cli/target/built")).doesNotExist();
    }

    @Test
    void build_isToldModuleByModule_andLeavesStdoutToTheProgram() throws Exception {
        Path root = tree("""
                echo '[INFO] Scanning for projects...'
                echo '[INFO] --------------------------< dev.rlm:rlm-parent >--------------------------'
                echo '[INFO] Building rlm 0.2.0                                         [1/2]'
                echo '[WARNING] a word of Maven to nobody' >&2
                echo '[INFO] --------------------------< dev.rlm:sinks-api >---------------------------'
                printf '[INFO] Building rlm sinks: API 0.2.0                              [2/2]'
                """);

        assertThat(build(root)).isZero();

        Path log = root.resolve("tools/cli/target/build.log");
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

        Path log = root.resolve("tools/cli/target/build.log");
        assertThat(folder.resolve("out")).isEmptyFile();
        assertThat(Files.readAllLines(folder.resolve("err")))
                .hasSize(22)
                .contains("[ERROR] line 81", "[ERROR] line 100")
                .last()
                .isEqualTo("rlm: the build failed; all that it said is in " + log);
        assertThat(Files.readAllLines(log)).hasSize(100);
        assertThat(root.resolve("tools/cli/target/built")).doesNotExist();
    }

    /** A tree to be built, with a Java of its own and a Maven that does this. */
    private Path tree(String maven) throws IOException {
        Path root = Files.createDirectory(folder.toRealPath().resolve("tree"));
        Files.copy(LAUNCHER, root.resolve("rlm"));
        Files.createFile(root.resolve("pom.xml"));
        Files.createDirectories(root.resolve("sinks-api/src/main"));
        Files.createFile(root.resolve("sinks-api/pom.xml"));
        program(root.resolve("jdk/bin/java"), "echo a result\n");
        program(root.resolve("jdk/bin/javac"), "echo 'Picked up JAVA_TOOL_OPTIONS: -Xmx1g' >&2\necho javac 17.0.1\n");
        program(root.resolve("tools/mvn"), maven);
        return root;
    }

    private static void program(Path file, String script) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + script);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "LANG, '', /C.UTF-8/",
        "LANG, C, /C.UTF-8/C",
        "LC_CTYPE, xx_YY, /C.UTF-8/",
        "LC_ALL, C, C.UTF-8//",
        "LC_ALL, POSIX, C.UTF-8//",
        "LC_ALL, xx_YY.UTF-8, C.UTF-8//",
        "LC_ALL, C.utf8, C.utf8//",
        "LANG, C.utf8, //C.utf8",
    })
    void whereTheLocaleHasAsciiAlone_javaGetsOneWithAllLetters(String variable, String value, String seen)
            throws Exception {
        Path root = tree("exit 0\n");
        program(root.resolve("jdk/bin/java"), "echo \"$LC_ALL/$LC_CTYPE/$LANG\"\n");
        ProcessBuilder builder = new ProcessBuilder(root.resolve("rlm").toString(), "run")
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.startsWith("LANG"));
        builder.environment().put(variable, value);
        builder.environment().put("JAVA_HOME", root.resolve("jdk").toString());
        builder.environment().merge("PATH", root.resolve("tools").toString(), (path, tools) -> tools + ":" + path);
        assertThat(builder.start().waitFor()).isZero();
        assertThat(Files.readString(folder.resolve("out"))).isEqualTo(seen + "\n");
    }

    private int build(Path root) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(root.resolve("rlm").toString(), "run")
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().put("JAVA_HOME", root.resolve("jdk").toString());
        builder.environment().merge("PATH", root.resolve("tools").toString(), (path, tools) -> tools + ":" + path);
        return builder.start().waitFor();
    }

    @ParameterizedTest
    @CsvSource({"'', 66", "44, 44", "wide, 80"})
    void columnsOfTheTerminal_areTold_andAPipeHasNone(String variable, String told) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script(1) is missing");
        Path root = folder.resolve("tree");
        Files.createDirectories(root.resolve("tools/cli/target"));
        Files.copy(LAUNCHER, root.resolve("rlm"));
        Files.createFile(root.resolve("pom.xml"));
        Files.createFile(root.resolve("tools/cli/target/built"));
        Path java = Files.createDirectories(folder.resolve("jdk/bin")).resolve("java");
        assertThat(Files.writeString(java, "#!/bin/sh\necho \"$@\"\n").toFile().setExecutable(true))
                .isTrue();
        String command = "stty cols 66; export COLUMNS=" + variable + "; [ -n \"$COLUMNS\" ] || unset COLUMNS; "
                + root.resolve("rlm") + " list; " + root.resolve("rlm") + " list | cat";

        ProcessBuilder builder = new ProcessBuilder("script", "-qec", command, "/dev/null");
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        List<String> said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("-jar"))
                .toList();

        assertThat(said).hasSize(2);
        assertThat(said.get(0)).contains("-Drlm.columns=" + told + " ");
        assertThat(said.get(1)).doesNotContain("rlm.columns");
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

package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.Main;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/** The package {@code python/}: its wheel is built and installed, and tested as installed, with the Python that {@code RLM_RECORD_PYTHON} names. */
@Tag("thorough")
@Timeout(600)
@EnabledIfEnvironmentVariable(
        named = PythonPackageTest.PYTHON,
        matches = ".+",
        disabledReason = "RLM_RECORD_PYTHON names no Python with the packages of python/tests/requirements.txt")
class PythonPackageTest {
    static final String PYTHON = "RLM_RECORD_PYTHON";

    private static final Path PACKAGE =
            Path.of("..", "..", "python").toAbsolutePath().normalize();

    @TempDir
    private Path folder;

    @Test
    void wheel_isTyped_andRecordsAsItsTestsSay() throws Exception {
        Path sources = copy(folder.resolve("sources"));
        python(sources, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder.toString(), ".");
        Path wheel;
        try (Stream<Path> files = Files.list(folder)) {
            wheel = files.filter(file -> file.toString().endsWith(".whl"))
                    .findFirst()
                    .orElseThrow();
        }
        Path installed = folder.resolve("installed");
        python(sources, "-m", "pip", "install", "-q", "--no-deps", "--target", installed.toString(), wheel.toString());
        assertThat(installed.resolve("rlm_record").resolve("py.typed")).exists();
        assertThat(python(
                        sources,
                        "-m",
                        "mypy",
                        "--strict",
                        installed.resolve("rlm_record").toString()))
                .contains("Success");
        assertThat(python(PACKAGE.resolve("tests"), "-W", "ignore", "-m", "unittest", "-v", "test_record"))
                .contains("OK")
                .doesNotContain("skipped");
    }

    /** Copies what a wheel is built of: its build leaves files beside it. */
    private static Path copy(Path to) throws IOException {
        try (Stream<Path> files = Files.walk(PACKAGE)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(file -> !file.toString().contains("__pycache__"))
                    .toList()) {
                Path copied = to.resolve(PACKAGE.relativize(file).toString());
                Files.createDirectories(copied.getParent());
                Files.copy(file, copied);
            }
        }
        return to;
    }

    /** Runs Python with the installed package, and a launcher of this class path. Returns what it says. */
    private String python(Path in, String... arguments) throws IOException, InterruptedException {
        Path launcher = folder.resolve("rlm");
        if (Files.notExists(launcher)) {
            Files.writeString(
                    launcher,
                    "#!/bin/sh\nexec '" + Path.of(System.getProperty("java.home"), "bin", "java")
                            + "' -XX:TieredStopAtLevel=1 -cp '" + System.getProperty("java.class.path") + "' "
                            + Main.class.getName() + " \"$@\"\n");
            Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
        }
        Path said = Files.createTempFile(folder, "said", ".txt");
        ProcessBuilder builder = new ProcessBuilder(
                        Stream.concat(Stream.of(System.getenv(PYTHON)), List.of(arguments).stream())
                                .toList())
                .directory(in.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        builder.environment()
                .putAll(Map.of(
                        "RLM",
                        launcher.toString(),
                        "PYTHONPATH",
                        folder.resolve("installed").toString(),
                        "PYTHONDONTWRITEBYTECODE",
                        "1"));
        Process process = builder.start();
        assertThat(process.waitFor(500, TimeUnit.SECONDS)).isTrue();
        String text = Files.readString(said, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(text).isZero();
        return text;
    }
}

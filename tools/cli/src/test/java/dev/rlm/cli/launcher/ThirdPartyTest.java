package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The notices of others' libraries, against the jars that the build puts beside the program. */
class ThirdPartyTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| [^|]+ \\|$");
    private static final Path NOTICES = Path.of("..", "..", "THIRD-PARTY.md");

    @Test
    void table_namesEachJarThatShips() throws IOException {
        assertThat(rows().map(row -> row.group(1) + ".jar"))
                .as("rows of THIRD-PARTY.md; look at the licence of what is new, or has a new version")
                .containsExactlyInAnyOrderElementsOf(shipped()
                        .filter(entry -> !entry.contains(File.separator + "target" + File.separator)) // our own
                        .map(jar -> Path.of(jar).getFileName().toString())
                        .toList());
    }

    /** The tests' own class path holds more. */
    @Test
    void program_runsWithTheJarsThatShipAlone(@TempDir Path folder) throws Exception {
        ProcessBuilder program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        Stream.concat(
                                        Stream.of(Path.of("target", "classes")
                                                .toAbsolutePath()
                                                .toString()),
                                        shipped())
                                .collect(Collectors.joining(File.pathSeparator)),
                        Main.class.getName(),
                        "run",
                        "--samples=1",
                        "--rollouts=1",
                        "--sink=jsonl",
                        "--journal=" + folder)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        program.environment().keySet().removeIf(name -> name.startsWith("RLM_"));

        assertThat(program.start().waitFor()).isZero();
        assertThat(folder.resolve("output"))
                .content()
                .containsPattern("jsonl +(\\d+) of \\1 events delivered")
                .doesNotContain("NoClassDefFoundError");
    }

    @Test
    void licences_areExplained() throws IOException {
        List<String> headings = Files.readAllLines(NOTICES).stream()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring(3))
                .toList();

        assertThat(rows().map(row -> row.group(2)).distinct()).containsExactlyInAnyOrderElementsOf(headings);
    }

    @Test
    void notices_areInTheProgramsArchive() throws IOException {
        for (String file : List.of("LICENSE", "THIRD-PARTY.md")) {
            try (InputStream shipped = Main.class.getResourceAsStream("/META-INF/" + file)) {
                assertThat(Objects.requireNonNull(shipped, file))
                        .hasBinaryContent(Files.readAllBytes(Path.of("..", "..", file)));
            }
        }
    }

    /** Returns what lies in the folder lib: jars of others, and what this build makes. */
    static Stream<String> shipped() throws IOException {
        return Stream.of(
                Files.readString(Path.of("target", "shipped.classpath")).strip().split(File.pathSeparator));
    }

    private static Stream<MatchResult> rows() throws IOException {
        return ROW.matcher(Files.readString(NOTICES, StandardCharsets.UTF_8)).results();
    }
}

package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.testkit.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README, followed as its reader would: its commands, output and programs. */
class ReadmeTest {
    private static final Path README = Path.of("..", "..", "README.md");
    private static final int MOST_BYTES = 9 * 1024;
    private static final Pattern DURATION = Pattern.compile("[0-9.]+(µs|ms|s)\\b");
    private static final String CUT = "[…]";

    @TempDir
    private Path folder;

    private String page = "";

    @BeforeEach
    void read() throws IOException {
        page = Files.readString(README);
    }

    @Test
    void page_isShort() throws IOException {
        assertThat(Files.size(README)).isLessThanOrEqualTo(MOST_BYTES);
    }

    @Test
    void firstCommands_printWhatIsShown() {
        List<String> commands = block("## Start", "")
                .lines()
                .map(line -> line.replaceFirst("^./rlm ", "").replaceFirst(" *#.*", ""))
                .toList();
        assertThat(commands).containsExactly("run", "list", "show last", "report", "view");
        for (String command : commands.subList(0, 4)) {
            rlm(command.split(" "));
        }
        rlm("view", "--help"); // its pages have tests of their own

        List<String> shown = block("The example", "").lines().skip(1).toList();
        String run = line(rlm("list", "--sample", "calc-1-20"), ".* 3( *)?").replaceFirst(" .*", "");
        String printed = withoutTimes(rlm("show", run));
        assertThat(shown).hasSizeGreaterThan(5);
        assertThat(shown)
                .filteredOn(line -> !line.equals(CUT))
                .allSatisfy(line -> assertThat(printed)
                        .containsPattern(Pattern.quote(withoutTimes(line)).replace(CUT, "\\E.*\\Q")));
    }

    @Test
    void javaProgram_recordsItsRun() throws Exception {
        Path program = Files.writeString(folder.resolve("Agent.java"), """
                import dev.rlm.sinks.*;

                class Agent {
                    public static void main(String[] arguments) {
                %s
                    }
                }
                """.formatted(block("**Java**", "java")));
        RlmProcess.start(folder, Map.of(), List.of(), program.toString())
                .awaitSuccess()
                .close();

        assertThat(rlm("list", "--json")).contains("\"environment\":\"my-env\"", "\"total_reward\":1.0", "\"steps\":1");
    }

    @Test
    void pythonProgram_recordsItsRun() throws Exception {
        assumeTrue(Path.of("/usr/bin/python3").toFile().canExecute(), "there is no python3");
        Path program = Files.writeString(folder.resolve("agent.py"), block("**Python**", "python"));
        ProcessBuilder builder = new ProcessBuilder("/usr/bin/python3", program.toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile());
        List<String> record = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "record");
        builder.environment()
                .putAll(Map.of(
                        "PYTHONPATH",
                        Path.of("..", "..", "python", "src").toAbsolutePath().toString(),
                        "RLM_RECORD_COMMAND",
                        "'" + String.join("' '", record) + "'"));
        Process agent = builder.start();
        assertThat(agent.waitFor(100, TimeUnit.SECONDS)).isTrue();
        assertThat(agent.exitValue())
                .as(Files.readString(folder.resolve("said")))
                .isZero();

        assertThat(rlm("list", "--json")).contains("\"environment\":\"my-env\"", "\"total_reward\":1.0", "\"steps\":1");
    }

    /** Returns the content of the first block of a language after a text. */
    private String block(String after, String language) {
        int from = page.indexOf("```" + language + "\n", page.indexOf(after));
        int begin = page.indexOf('\n', from) + 1;
        return page.substring(begin, page.indexOf("```", begin));
    }

    private static String line(String text, String form) {
        return text.lines().filter(line -> line.matches(form)).findFirst().orElseThrow(() -> new AssertionError(text));
    }

    /** Returns a text without run ids, which differ from run to run, and durations. */
    private static String withoutTimes(String text) {
        Matcher durations = DURATION.matcher(text.replaceAll("run [a-z0-9]{16}", "run ID"));
        return durations.replaceAll("TIME").replaceAll(" +", " ");
    }

    private String rlm(String... arguments) {
        Cli rlm = Cli.with(Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString()), arguments);
        assertThat(rlm.exitCode()).as(rlm.err()).isZero();
        return rlm.out();
    }
}

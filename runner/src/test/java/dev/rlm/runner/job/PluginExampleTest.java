package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/plugin}, compiled, packed and used with the commands of its page. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(300)
class PluginExampleTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PAGE = ROOT.resolve("docs/plugins.md");
    private static final Pattern COMMANDS = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
    private static final Pattern FUNCTION =
            Pattern.compile("```java\n(public final class FewGuesses.*?)```", Pattern.DOTALL);

    @TempDir
    private Path folder;

    @Tag("thorough")
    @Test
    void plugIn_isCompiledAndUsedAsItsPageSays() throws Exception {
        copy(ROOT.resolve("examples/plugin"), folder.resolve("examples/plugin"));
        program();
        assertThat(shell(commands())).as(() -> read("said")).isZero();
        Map<String, String> variables = Map.of(
                "RLM_PLUGINS", folder.resolve(read("plugins").strip()).toString(),
                "RLM_JSONL_DIR", folder.resolve(".rlm").toString());

        Cli done = Cli.with(variables, read("asked").lines().toArray(String[]::new));

        assertThat(done.exitCode()).as(done.err()).isZero();
        Journal journal = Journal.open(folder.resolve(".rlm"));
        assertThat(journal.runs()).hasSize(80).allSatisfy(run -> {
            assertThat(run.run().environment()).isEqualTo("guess");
            assertThat(run.run().model()).isEqualTo("bisect");
            assertThat(run.run().params().toString())
                    .startsWith("{policy=bisect, max=1000, reward=exact=1.0,few_guesses=0.5, ");
            assertThat(run.steps()).isBetween(1, 10);
            assertThat(components(journal, run))
                    .containsExactly(
                            new RewardComponent("exact", 1, 1.0, null),
                            new RewardComponent("few_guesses", 1.0 / run.steps(), 0.5, null));
            assertThat(run.totalReward()).isEqualTo(1 + 0.5 / run.steps());
        });
    }

    @Test
    void page_showsTheFunctionOfTheExample() throws IOException {
        String source =
                Files.readString(ROOT.resolve("examples/plugin/src/com/example/guess/FewGuessesRewardProvider.java"));

        assertThat(source).endsWith(found(FUNCTION));
    }

    private static List<RewardComponent> components(Journal journal, RunSummary run) {
        return journal.events(run.run().runId()).stream()
                .filter(RewardGiven.class::isInstance)
                .map(RewardGiven.class::cast)
                .flatMap(reward -> reward.components().stream())
                .toList();
    }

    /** What a build has made of this source stands in the place of its archives. */
    private static String commands() throws IOException {
        return found(COMMANDS).replace("'tools/cli/target/lib/*'", "\"$TESTED\"");
    }

    private static String found(Pattern part) throws IOException {
        Matcher shown = part.matcher(Files.readString(PAGE));
        assertThat(shown.find()).isTrue();
        return shown.group(1);
    }

    /** Notes what it is asked for and where its plug-ins are, in the place of the program. */
    private void program() throws IOException {
        Path program = Files.writeString(folder.resolve("rlm"), """
                #!/bin/sh
                printf '%s\\n' "$@" > asked
                printf '%s\\n' "$RLM_PLUGINS" > plugins
                """);
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    private int shell(String commands) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("bash", "-e", "-c", commands)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        builder.environment().put("TESTED", System.getProperty("java.class.path"));
        builder.environment()
                .merge("PATH", System.getProperty("java.home") + "/bin", (path, java) -> java + ":" + path);
        Process shell = builder.start();
        assertThat(shell.waitFor(200, TimeUnit.SECONDS)).isTrue();
        return shell.exitValue();
    }

    private String read(String file) {
        try {
            return Files.readString(folder.resolve(file));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(file -> !file.startsWith(from.resolve("target")))
                    .toList()) {
                Path copy = to.resolve(from.relativize(file));
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }
}

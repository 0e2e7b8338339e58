package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.Verb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Command;

@Timeout(120)
class VerbTest {
    @TempDir
    private Path folder;

    @Test
    void verb_isFound_byItsLineInTheServices() {
        assertThat(Cli.with(Map.of("RLM_PROGRAM", "mine"), "greet", "--whom", "all"))
                .isEqualTo(new Cli(0, "greetings to all from mine" + System.lineSeparator(), ""));
        assertThat(Cli.with(Map.of(), "--help").out()).contains("run ", "list ", "record ", "greet ", "sinks ");
    }

    @Test
    void usage_isToldInOneLine() {
        assertThat(Cli.with(Map.of(), "greet", "--whom", " "))
                .isEqualTo(new Cli(2, "", "rlm: --whom is empty: expected a name" + System.lineSeparator()));
    }

    @Test
    void verbOfAnotherFolder_isOneClassAndOneLine() throws Exception {
        try (RlmProcess process = rlm(List.of(Twin.class.getName()), "twin")) {
            assertThat(process.awaitSuccess().out()).isEqualTo("one\n");
        }
    }

    @Tag("thorough")
    @Test
    void verbThatCannotBeLoaded_isInNobodysWay_andToldWhereAVerbIsNotFound() throws Exception {
        List<String> broken = List.of("com.example.Missing", Broken.class.getName());
        try (RlmProcess process = rlm(broken, "greet")) {
            assertThat(process.awaitSuccess().out()).startsWith("greetings to you");
        }
        try (RlmProcess process = rlm(broken, "--help")) {
            assertThat(process.awaitSuccess().out()).contains("greet ", "list ").doesNotContain("broken ");
        }
        assertThat(refused(broken, "missing"))
                .startsWith("rlm: unknown command 'missing': known are ")
                .endsWith("; a plug-in cannot be loaded: java.util.ServiceConfigurationError: dev.rlm.cli.Verb:"
                        + " Provider com.example.Missing not found\n");
        assertThat(refused(broken, "broken")).startsWith("rlm: failed: ").contains(Broken.class.getName());
    }

    @Test
    void verbsOfOneName_areRefusedWhereItIsAskedFor() throws Exception {
        List<String> twins = List.of(Twin.class.getName(), Other.class.getName());

        assertThat(refused(twins, "twin"))
                .isEqualTo("rlm: two of kind command are named 'twin': " + String.join(" and ", twins) + "\n");
        try (RlmProcess process = rlm(twins, "greet")) {
            process.awaitSuccess();
        }
    }

    private String refused(List<String> verbs, String command) throws Exception {
        try (RlmProcess process = rlm(verbs, command)) {
            assertThat(process.process().waitFor()).isPositive();
            assertThat(process.out()).isEmpty();
            assertThat(process.err().lines()).hasSize(1);
            return process.err();
        }
    }

    /** Starts the program with a further folder on its class path that names these verbs. */
    private RlmProcess rlm(List<String> verbs, String... arguments) throws IOException {
        Path services = Files.createDirectories(folder.resolve("more/META-INF/services"));
        Files.write(services.resolve(Verb.class.getName()), verbs);
        String path = System.getProperty("java.class.path");
        return RlmProcess.start(
                folder, Map.of(), List.of("-cp", path + ":" + folder.resolve("more")), Main.class.getName(), arguments);
    }

    /** A verb that shares its name. */
    @Command(name = "twin", description = "Says one.")
    public static final class Twin extends Verb {
        @Override
        protected int execute() {
            out().println("one");
            return 0;
        }
    }

    /** The other one of that name. */
    @Command(name = "twin", description = "Says nothing.")
    public static final class Other extends Verb {
        @Override
        protected int execute() {
            return 0;
        }
    }

    /** A verb that cannot be made. */
    @Command(name = "broken")
    public static final class Broken extends Verb {
        public Broken() {
            throw new IllegalStateException("not today");
        }

        @Override
        protected int execute() {
            return 0;
        }
    }
}

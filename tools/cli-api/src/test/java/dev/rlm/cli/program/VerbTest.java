package dev.rlm.cli.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.Told;
import dev.rlm.cli.Verb;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Command;

/** How the program finds its verbs, and what it says where it does not. */
class VerbTest {
    @TempDir
    private Path folder;

    @Test
    void verb_isFound_byItsLineInTheServices() {
        assertThat(Told.by(Map.of("RLM_PROGRAM", "mine"), "greet", "--whom", "all"))
                .isEqualTo(new Told(0, "greetings to all from mine" + System.lineSeparator(), ""));
        assertThat(Told.by(Map.of(), "--help").out()).contains("greet ", "sinks ");
    }

    @Test
    void usage_isToldInOneLine() {
        assertThat(Told.by(Map.of(), "greet", "--whom", " "))
                .isEqualTo(new Told(2, "", "rlm: --whom is empty: expected a name" + System.lineSeparator()));
    }

    @Test
    void verbOfAnotherFolder_isOneClassAndOneLine() throws Exception {
        assertThat(rlm(List.of(Twin.class.getName()), "twin"))
                .isEqualTo(new Told(0, "one" + System.lineSeparator(), ""));
    }

    @Test
    void verbThatCannotBeLoaded_isInNobodysWay_andToldWhereAVerbIsNotFound() throws Exception {
        List<String> broken = List.of("com.example.Missing", Broken.class.getName());
        Told greeted = rlm(broken, "greet");
        assertThat(greeted.exitCode()).isZero();
        assertThat(greeted.out()).startsWith("greetings to you");
        Told helped = rlm(broken, "--help");
        assertThat(helped.exitCode()).isZero();
        assertThat(helped.out()).contains("greet ", "sinks ").doesNotContain("broken ");
        assertThat(refused(broken, "missing"))
                .startsWith("rlm: unknown command 'missing': known are ")
                .endsWith("; a plug-in cannot be loaded: java.util.ServiceConfigurationError: dev.rlm.cli.Verb:"
                        + " Provider com.example.Missing not found" + System.lineSeparator());
        assertThat(refused(broken, "broken")).startsWith("rlm: failed: ").contains(Broken.class.getName());
    }

    @Test
    void verbsOfOneName_areRefusedWhereItIsAskedFor() throws Exception {
        List<String> twins = List.of(Twin.class.getName(), Other.class.getName());

        assertThat(refused(twins, "twin"))
                .isEqualTo("rlm: two of kind command are named 'twin': " + String.join(" and ", twins)
                        + System.lineSeparator());
        assertThat(rlm(twins, "greet").exitCode()).isZero();
    }

    private String refused(List<String> verbs, String command) throws Exception {
        Told told = rlm(verbs, command);
        assertThat(told.exitCode()).isPositive();
        assertThat(told.out()).isEmpty();
        assertThat(told.err().lines()).hasSize(1);
        return told.err();
    }

    /** Executes the program with a further folder on its class path that names these verbs. */
    private Told rlm(List<String> verbs, String... arguments) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.write(services.resolve(Verb.class.getName()), verbs);
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader more = new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
            Thread.currentThread().setContextClassLoader(more);
            return Told.by(Map.of(), arguments);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
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

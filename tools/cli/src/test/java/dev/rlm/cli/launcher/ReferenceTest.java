package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.Verb;
import dev.rlm.cli.program.SinkVariables;
import dev.rlm.cli.program.UnknownVariables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The pages of {@code docs} that tell commands and variables, compared with what the code declares.
 * {@code -Drlm.docs.update=true} writes them.
 */
class ReferenceTest {
    private static final Path ROOT = Repository.ROOT;
    private static final Path DOCS = ROOT.resolve("docs");
    private static final String COMMANDS = "cli.md";
    private static final String VARIABLES = "configuration.md";
    private static final Pattern NAME = Pattern.compile("\\bRLM_[A-Z0-9_<>]*[A-Z0-9>](?![A-Z0-9_])");

    /** Sources of the modules, but for those that measure or are for tests alone. */
    private static final Pattern SHIPPED = Pattern.compile(
            "(?!benchmarks/|examples/|core/sinks-testkit/|tools/cli-testkit/)([^/]+/)?[^/]+/src/main/.*|python/src/.*");

    @Test
    void commands_areThoseOfThePage() throws IOException {
        compare(COMMANDS, new CommandReference().page());
    }

    @Test
    void variables_areThoseOfThePage() throws IOException {
        compare(VARIABLES, VariableReference.page());
    }

    @Test
    void everyCommand_hasItsPlaceOnThePage() throws IOException {
        assertThat(CommandReference.placed()).containsExactlyInAnyOrderElementsOf(new CommandReference().commands());

        Pattern named = Pattern.compile("name = \"([\\w-]+)\"");
        List<String> absent = new ArrayList<>(); // from this class path, since a profile adds their modules
        for (Path services : sources(name -> name.endsWith("META-INF/services/" + Verb.class.getName()))) {
            for (String type : Files.readAllLines(services)) {
                Path source = services.resolve("../../../../java/" + type.replace('.', '/') + ".java");
                absent.add(named.matcher(Files.readString(source.normalize()))
                        .results()
                        .findFirst()
                        .orElseThrow()
                        .group(1));
            }
        }
        absent.removeAll(CommandReference.placed());
        assertThat(absent).isSubsetOf(CommandReference.ON_SPARK);
    }

    @Test
    void everyDefault_isToldByTheHelp() {
        assertThat(new CommandReference().untoldDefaults()).isEmpty();
    }

    @Test
    void variablesOfTheSources_areThoseOnThePage() throws IOException {
        Set<String> told = new TreeSet<>(found(NAME, Files.readString(DOCS.resolve(VARIABLES))));
        String templates = told.stream()
                .filter(name -> name.contains(SinkVariables.ITS_NAME))
                .map(name -> name.replace(SinkVariables.ITS_NAME, "[A-Z0-9_]+"))
                .collect(Collectors.joining("|"));
        Set<String> read = new TreeSet<>();
        for (Path file : sources(name -> name.matches(".*\\.(java|py|json|properties)"))) {
            read.addAll(found(NAME, Files.readString(file)));
        }
        read.addAll(found(NAME, Files.readString(ROOT.resolve("rlm"))));

        assertThat(read).hasSizeGreaterThan(60);
        assertThat(read)
                .filteredOn(name -> !told.contains(name)
                        && !name.matches(templates)
                        && !name.startsWith("RLM_X_") // in examples
                        && !UnknownVariables.OF_THE_SCRIPT.contains(name))
                .isEmpty();
        assertThat(told)
                .filteredOn(name -> !read.contains(name)
                        && !name.contains(SinkVariables.ITS_NAME)
                        && !name.matches("RLM_[A-Z_]+_ENABLED")) // put together of the sink's name
                .isEmpty();
    }

    private static void compare(String page, String now) throws IOException {
        Path file = DOCS.resolve(page);
        if (Boolean.getBoolean("rlm.docs.update")) {
            Files.writeString(file, now);
        }
        assertThat(now.lines())
                .as("docs/" + page + ": run this test with -Drlm.docs.update=true")
                .isEqualTo(Files.readAllLines(file));
    }

    /** Returns files of what ships. */
    private static List<Path> sources(Predicate<String> chosen) throws IOException {
        return Repository.files(name -> SHIPPED.matcher(name).matches() && chosen.test(name));
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(found.groupCount()))
                .toList();
    }
}

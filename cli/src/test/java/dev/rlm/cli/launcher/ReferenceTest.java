package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.Verb;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The pages of {@code docs} that tell commands and variables, compared with what the code declares.
 * {@code -Drlm.docs.update=true} writes them.
 */
class ReferenceTest {
    private static final Path ROOT = Path.of("..");
    private static final Path DOCS = ROOT.resolve("docs");
    private static final String COMMANDS = "cli.md";
    private static final String VARIABLES = "configuration.md";
    private static final Pattern NAME = Pattern.compile("\\bRLM_[A-Z0-9_<>]*[A-Z0-9>](?![A-Z0-9_])");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^():]*)\\)");

    /** Modules that measure, or that are for tests alone. */
    private static final Set<String> UNSHIPPED = Set.of("benchmarks", "examples", "sinks-testkit");

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
        for (Path services : sources(file -> file.endsWith(Path.of("META-INF/services", Verb.class.getName())))) {
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
    void everyLink_leadsToAHeading() throws IOException {
        for (String page : List.of(COMMANDS, VARIABLES)) {
            for (String link : found(LINK, Files.readString(DOCS.resolve(page)))) {
                Path target = DOCS.resolve(link.replaceFirst("#.*", "").replaceFirst("^$", page));
                assertThat(target).as(link).exists();
                if (link.contains("#")) {
                    assertThat(anchors(target)).as(page).contains(link.replaceFirst(".*#", ""));
                }
            }
        }
    }

    @Test
    void variablesOfTheSources_areThoseOnThePage() throws IOException {
        Set<String> told = new TreeSet<>(found(NAME, Files.readString(DOCS.resolve(VARIABLES))));
        String templates = told.stream()
                .filter(name -> name.contains(SinkVariables.ITS_NAME))
                .map(name -> name.replace(SinkVariables.ITS_NAME, "[A-Z0-9_]+"))
                .collect(Collectors.joining("|"));
        Set<String> read = new TreeSet<>();
        for (Path file : sources(file -> file.toString().matches(".*\\.(java|py|json|properties)"))) {
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

    private static List<Path> sources(Predicate<Path> chosen) throws IOException {
        List<Path> all = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                Path folder = module.resolve(module.endsWith("python") ? "src" : "src/main");
                if (Files.isDirectory(folder) && UNSHIPPED.stream().noneMatch(module::endsWith)) {
                    try (Stream<Path> files = Files.walk(folder)) {
                        files.filter(Files::isRegularFile).filter(chosen).forEach(all::add);
                    }
                }
            }
        }
        return all;
    }

    private static List<String> anchors(Path page) {
        try {
            return found(Pattern.compile("(?m)^#+ (.*)$"), Files.readString(page)).stream()
                    .map(heading -> heading.toLowerCase(Locale.ROOT)
                            .replaceAll("[^\\w\\- ]", "")
                            .replace(' ', '-'))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(found.groupCount()))
                .toList();
    }
}

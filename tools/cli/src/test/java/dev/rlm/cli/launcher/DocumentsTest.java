package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.Verb;
import dev.rlm.cli.program.Rlm;
import dev.rlm.cli.testkit.page.MarkdownPage;
import dev.rlm.cli.testkit.page.ShellCommands;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The documents: what their links lead to, whether the index has all of them, and the commands that they show. */
class DocumentsTest {
    private static final Path ROOT = Repository.ROOT;
    private static final Path DOCS = ROOT.resolve("docs");
    private static final Pattern OUTSIDE = Pattern.compile("[a-z][a-z0-9+.-]*:.*");

    /** Verbs of modules that are not on the class path here. */
    private static final Set<String> ELSEWHERE = Set.of("spark-report");

    private static final String NO_JOURNAL = "is not a journal's folder"; // which a document names as an example

    private static final Map<Path, MarkdownPage> PAGES = new TreeMap<>();
    private static final Map<String, CommandLine> VERBS = new TreeMap<>();

    @BeforeAll
    static void makeVerbs() {
        for (Verb verb : Rlm.verbs()) {
            CommandLine command = new CommandLine(verb);
            VERBS.put(command.getCommandName(), command);
        }
    }

    @BeforeAll
    static void readPages() throws IOException {
        for (Path file : Repository.files(name -> name.endsWith(".md") && !name.contains("/src/"))) {
            PAGES.put(file, MarkdownPage.read(file));
        }
        assertThat(PAGES).containsKeys(ROOT.resolve("README.md"), DOCS.resolve("README.md"));
    }

    @Test
    void links_leadToFilesAndHeadingsThatAreThere() {
        List<String> broken = new ArrayList<>();
        for (MarkdownPage page : PAGES.values()) {
            page.links().stream()
                    .filter(link -> !OUTSIDE.matcher(link).matches() && !isThere(page, link))
                    .forEach(link -> broken.add(Repository.name(page.file()) + ": " + link));
        }

        assertThat(broken).as("links that lead nowhere").isEmpty();
    }

    private static boolean isThere(MarkdownPage page, String link) {
        int hash = link.indexOf('#');
        Path target = target(page, link);
        if (hash < 0 || !target.toString().endsWith(".md")) {
            return target.startsWith(ROOT) && Files.exists(target) && !link.contains("/target/");
        }
        MarkdownPage other = PAGES.get(target);
        return other != null && other.anchors().contains(link.substring(hash + 1));
    }

    /** Returns the file that a link names. */
    private static Path target(MarkdownPage page, String link) {
        String path = URLDecoder.decode(link.replaceFirst("#.*", "").replace("+", "%2B"), StandardCharsets.UTF_8);
        return path.isEmpty()
                ? page.file()
                : page.file().resolveSibling(path).toAbsolutePath().normalize();
    }

    @Test
    void index_hasEachPageOnce() throws IOException {
        MarkdownPage index = Objects.requireNonNull(PAGES.get(DOCS.resolve("README.md")));
        List<String> linked = index.links().stream()
                .map(link -> target(index, link))
                .filter(file -> !file.equals(index.file()))
                .map(Repository::name)
                .toList();
        List<String> pages;
        try (Stream<Path> files = Files.list(DOCS)) {
            pages = files.filter(file -> file.toString().endsWith(".md") && !file.equals(index.file()))
                    .map(Repository::name)
                    .toList();
        }

        assertThat(linked).doesNotHaveDuplicates().containsAll(pages);
        assertThat(linked)
                .contains("benchmarks/README.md", "deploy/README.md", "python/README.md", "sink-jsonl/SCHEMA.md");
    }

    @Test
    void commands_haveVerbsAndOptionsThatExist() {
        List<String> wrong = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        PAGES.values()
                .forEach(page -> shown(page).forEach(command -> {
                    seen.add(command.get(0));
                    String problem = problem(command);
                    if (!problem.isEmpty()) {
                        wrong.add(Repository.name(page.file()) + ": rlm " + String.join(" ", command) + ": " + problem);
                    }
                }));

        assertThat(wrong).as("commands that rlm does not know").isEmpty();
        assertThat(seen).contains("run", "list", "show", "report", "recover", "resend", "sinks");
    }

    /** Returns the commands of code blocks and of code in lines of text, without those that name no verb. */
    private static List<List<String>> shown(MarkdownPage page) {
        return Stream.concat(page.blocks().stream().map(MarkdownPage.Block::text), page.spans().stream())
                .flatMap(script -> ShellCommands.ofRlm(script).stream())
                .filter(command -> !command.isEmpty() && command.get(0).matches("[a-z].*|--.*"))
                .toList();
    }

    /** Returns what is wrong with the verb or the options of a command; nothing where they exist. */
    private static String problem(List<String> command) {
        String verb = command.get(0);
        if (Set.of("--help", "--version", "help", "generate-completion").contains(verb) || ELSEWHERE.contains(verb)) {
            return "";
        }
        CommandLine known = VERBS.get(verb);
        return known == null ? "no such verb" : problem(command.subList(1, command.size()), known.getCommandSpec());
    }

    private static String problem(List<String> arguments, CommandSpec spec) {
        Set<String> names = new HashSet<>(Set.of("-v", "--verbose"));
        names.addAll(spec.optionsMap().keySet());
        names.addAll(spec.negatedOptionsMap().keySet());
        for (int i = 0; i < arguments.size() && !arguments.get(i).equals("--"); i++) {
            String argument = arguments.get(i);
            if (!argument.matches("--?[a-zA-Z].*")) {
                continue; // a value, a placeholder
            }
            String name = argument.replaceFirst("=.*", "");
            if (!names.contains(name)) {
                return "no option " + name;
            }
            OptionSpec option = spec.optionsMap().get(name);
            if (option != null && name.equals(argument)) {
                i += option.arity().min(); // its values, which may begin as an option does
            }
        }
        return "";
    }

    /** The values of options too, in commands without an ellipsis or brackets. */
    @Test
    void commandsOfBlocks_areParsed() {
        List<String> wrong = new ArrayList<>();
        PAGES.values()
                .forEach(page -> page.blocks().stream()
                        .flatMap(block -> ShellCommands.ofRlm(block.text()).stream())
                        .filter(command ->
                                !command.isEmpty() && command.stream().noneMatch(DocumentsTest::standsForMore))
                        .forEach(command -> {
                            String refusal = refusal(command);
                            if (!refusal.isEmpty() && !refusal.contains(NO_JOURNAL)) {
                                wrong.add(Repository.name(page.file()) + ": rlm " + String.join(" ", command) + ": "
                                        + refusal);
                            }
                        }));

        assertThat(wrong).as("commands that rlm refuses").isEmpty();
    }

    private static boolean standsForMore(String word) {
        return word.contains("…") || word.startsWith("[");
    }

    private static String refusal(List<String> command) {
        CommandLine verb = VERBS.get(command.get(0));
        try {
            if (verb != null) {
                verb.parseArgs(command.stream().skip(1).toArray(String[]::new));
            }
            return "";
        } catch (CommandLine.ParameterException e) {
            return String.valueOf(e.getMessage());
        }
    }
}

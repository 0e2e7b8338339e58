package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.page.MarkdownPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The pictures of docs/architecture.md: modules and arrows against the poms, names of types against the sources. */
class ArchitecturePageTest {
    private static final Path ROOT = Repository.ROOT;
    private static final String COMPILE = "compile";
    private static final String RUNTIME = "runtime";
    private static final Map<String, String> ARROWS = Map.of("-->", COMPILE, "-.->", RUNTIME);

    private static final Pattern GROUP = Pattern.compile("subgraph (\\w+).*");
    private static final Pattern ARROW = Pattern.compile("([\\w& -]+?) (-->|-\\.->) ([\\w& -]+)");
    private static final Pattern MANAGED = Pattern.compile("(?s)<(dependencyManagement|profiles|build)>.*?</\\1>");
    private static final Pattern DEPENDENCY = Pattern.compile("(?s)<dependency>(.*?)</dependency>");
    private static final Pattern TYPE = Pattern.compile("\\b[A-Z][a-z]\\w+\\b");

    /** A dependency of one module on another. */
    private record Arrow(String from, String to, String scope) {}

    private static final String ASIDE = "aside";
    private static final Map<String, String> GROUPS = new TreeMap<>(); // by module
    private static final Set<Arrow> DRAWN = new HashSet<>();
    private static final Map<String, Path> POMS = new TreeMap<>(); // by module
    private static final Set<Arrow> DECLARED = new HashSet<>();

    private static MarkdownPage page;

    @BeforeAll
    static void read() throws IOException {
        page = MarkdownPage.read(ROOT.resolve("docs/architecture.md"));
        readPicture(blocks("mermaid").get(0));
        readPoms();
    }

    private static List<String> blocks(String language) {
        return page.blocks().stream()
                .filter(block -> block.language().equals(language))
                .map(MarkdownPage.Block::text)
                .toList();
    }

    private static void readPicture(String picture) {
        String group = "";
        for (String line : picture.lines().skip(1).map(String::strip).toList()) {
            Matcher arrow = ARROW.matcher(line);
            Matcher begin = GROUP.matcher(line);
            if (arrow.matches()) {
                for (String from : arrow.group(1).split(" & ", -1)) {
                    for (String to : arrow.group(3).split(" & ", -1)) {
                        DRAWN.add(new Arrow(from, to, ARROWS.getOrDefault(arrow.group(2), "")));
                    }
                }
            } else if (begin.matches()) {
                group = begin.group(1);
            } else if (line.equals("end")) {
                group = "";
            } else if (!line.isEmpty() && !line.startsWith("direction ")) {
                GROUPS.put(line, group);
            }
        }
    }

    private static void readPoms() throws IOException {
        for (Path pom : Repository.files(name -> name.endsWith("pom.xml"))) {
            POMS.put(String.valueOf(pom.resolveSibling("").getFileName()), pom);
        }
        for (Map.Entry<String, Path> pom : POMS.entrySet()) {
            String own = MANAGED.matcher(Files.readString(pom.getValue())).replaceAll("");
            DEPENDENCY.matcher(own).results().map(found -> found.group(1)).forEach(dependency -> {
                if (value(dependency, "groupId", "").equals("dev.rlm")) {
                    String scope = value(dependency, "scope", COMPILE);
                    DECLARED.add(new Arrow(pom.getKey(), value(dependency, "artifactId", ""), scope));
                }
            });
        }
    }

    private static String value(String element, String name, String absent) {
        return Pattern.compile("<" + name + ">([^<]*)<")
                .matcher(element)
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElse(absent);
    }

    @Test
    void picture_hasEachModuleInItsFolder() throws IOException {
        Map<String, String> folders = new TreeMap<>();
        for (String module : Repository.modules()) {
            String name = module.substring(module.lastIndexOf('/') + 1);
            String folder = module.contains("/") ? module.substring(0, module.indexOf('/')) : "";
            folders.put(name, ASIDE.equals(GROUPS.get(name)) ? ASIDE : folder);
        }

        assertThat(GROUPS).isEqualTo(folders);
    }

    @Test
    void modules_areInTheTableOfFolders() throws IOException {
        String table = Files.readString(ROOT.resolve("CONTRIBUTING.md"));

        assertThat(Repository.modules())
                .filteredOn(module -> !module.matches("(examples|engines/engine-spark)/.*")) // parts of a folder
                .allSatisfy(module -> assertThat(table).containsPattern("(?m)^\\| (`[^|]*, )?`" + module + "`"));
    }

    @Test
    void arrows_areDependenciesOfPoms() {
        assertThat(DRAWN).hasSizeGreaterThan(40).isSubsetOf(DECLARED);
    }

    /** An arrow that follows from others need not be drawn. */
    @Test
    void dependencies_followFromArrows() {
        Map<String, Set<String>> compile = reached(Set.of(COMPILE));
        Map<String, Set<String>> all = reached(Set.of(COMPILE, RUNTIME));
        assertThat(DECLARED.stream()
                        .filter(arrow -> !ASIDE.equals(GROUPS.get(arrow.from())))
                        .filter(arrow -> ARROWS.containsValue(arrow.scope()))
                        .filter(arrow -> !(arrow.scope().equals(COMPILE) ? compile : all)
                                .getOrDefault(arrow.from(), Set.of())
                                .contains(arrow.to())))
                .as("dependencies that are not in the picture")
                .isEmpty();
    }

    private static Map<String, Set<String>> reached(Set<String> scopes) {
        Map<String, Set<String>> reached = new HashMap<>();
        DRAWN.stream()
                .filter(arrow -> scopes.contains(arrow.scope()))
                .forEach(arrow -> reached.computeIfAbsent(arrow.from(), from -> new HashSet<>())
                        .add(arrow.to()));
        boolean grown = true;
        while (grown) {
            grown = false;
            for (Set<String> targets : reached.values()) {
                grown |= targets.addAll(targets.stream()
                        .flatMap(target -> reached.getOrDefault(target, Set.of()).stream())
                        .collect(Collectors.toSet()));
            }
        }
        return reached;
    }

    @Test
    void names_areThoseOfTypes() throws IOException {
        Set<String> types = new HashSet<>(Set.of("ServiceLoader"));
        for (Path file : Repository.files(name -> name.endsWith(".java") && name.contains("/src/"))) {
            types.add(file.getFileName().toString().replace(".java", ""));
        }
        Set<String> named = Stream.concat(
                        blocks("").stream(), page.spans().stream().filter(span -> span.matches("\\w+")))
                .flatMap(text -> TYPE.matcher(text).results().map(MatchResult::group))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(named).hasSizeGreaterThan(40).isSubsetOf(types);
    }
}

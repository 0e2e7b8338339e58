package dev.rlm.benchmarks;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Structure of all modules, which are all on this one's class path: packages without cycles, and types without large knots. */
class StructureTest {
    private static final int LARGEST_KNOT = 5;
    private static final Pattern LISTED = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern MODULE = Pattern.compile("/([^/]+)/target/");

    private static JavaClasses classes;

    @BeforeAll
    static void readClasses() {
        classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar"))
                .withImportOption(location -> !location.contains("/target/lib/")) // copies
                .withImportOption(location -> !location.contains("jmh_generated"))
                .importPackages("dev.rlm");
    }

    @Test
    void modules_areAllLookedAt() throws IOException {
        Set<String> built = LISTED.matcher(
                        Files.readString(Path.of("..", "pom.xml")).split("<profiles>", -1)[0])
                .results()
                .map(listed -> listed.group(1))
                .map(module -> module.substring(module.indexOf('/') + 1))
                .filter(module ->
                        !List.of("bom", "engine-spark-it").contains(module)) // which hold no classes but tests
                .collect(Collectors.toCollection(TreeSet::new));

        Set<String> found = classes.stream().map(StructureTest::module).collect(Collectors.toCollection(TreeSet::new));
        assertThat(found).isEqualTo(built);
    }

    @Test
    void packages_lieInOneModuleEach() {
        Map<String, Set<String>> modules = classes.stream()
                .collect(Collectors.groupingBy(
                        JavaClass::getPackageName,
                        TreeMap::new,
                        Collectors.mapping(StructureTest::module, Collectors.toCollection(TreeSet::new))));
        modules.values().removeIf(homes -> homes.size() == 1);

        assertThat(modules).isEmpty();
    }

    @Test
    void packages_formNoCycles() {
        slices().matching("dev.rlm.(**)").should().beFreeOfCycles().check(classes);
    }

    /**
     * A type with those that lie in it counts as one. That a sealed type names what it permits is no dependency here: it
     * cannot be sealed otherwise, and class files tell it apart from what the type uses.
     */
    @Test
    void types_thatAllDependOnEachOther_areFew() {
        Map<String, Map<String, Set<String>>> byPackage = new TreeMap<>();
        for (JavaClass type : classes) {
            Set<String> uses = byPackage
                    .computeIfAbsent(type.getPackageName(), unused -> new TreeMap<>())
                    .computeIfAbsent(outermost(type), unused -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(Dependency::getTargetClass)
                    .map(JavaClass::getBaseComponentType)
                    .filter(used -> used.getPackageName().equals(type.getPackageName()))
                    .map(StructureTest::outermost)
                    .forEach(uses::add);
        }

        assertThat(byPackage.values().stream().flatMap(uses -> knots(uses).stream()))
                .allMatch(knot -> knot.size() <= LARGEST_KNOT);
    }

    /** The sets of types of which each depends on each other, by way of whichever others. */
    private static List<Set<String>> knots(Map<String, Set<String>> uses) {
        Map<String, Set<String>> reached = new TreeMap<>();
        uses.keySet().forEach(type -> reached.put(type, reachedFrom(type, uses)));
        List<Set<String>> knots = new ArrayList<>();
        Set<String> done = new TreeSet<>();
        reached.forEach((type, others) -> {
            Set<String> knot = others.stream()
                    .filter(other -> reached.getOrDefault(other, Set.of()).contains(type))
                    .collect(Collectors.toCollection(TreeSet::new));
            if (knot.size() > 1 && done.add(type)) {
                done.addAll(knot);
                knots.add(knot);
            }
        });
        return knots;
    }

    private static Set<String> reachedFrom(String type, Map<String, Set<String>> uses) {
        Set<String> reached = new TreeSet<>();
        Deque<String> ahead = new ArrayDeque<>(uses.getOrDefault(type, Set.of()));
        while (!ahead.isEmpty()) {
            String next = ahead.remove();
            if (reached.add(next)) {
                ahead.addAll(uses.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }

    private static String outermost(JavaClass type) {
        return type.getEnclosingClass().map(StructureTest::outermost).orElse(type.getName());
    }

    private static String module(JavaClass type) {
        URI location = type.getSource().orElseThrow().getUri();
        Matcher module = MODULE.matcher(location.toString());
        return module.find() ? module.group(1) : location.toString();
    }
}

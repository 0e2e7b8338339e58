package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The reasons of drops that the sources give, against the tables of docs/troubleshooting.md. */
class DropReasonsTest {
    private static final Pattern MAY_DROP =
            Pattern.compile("(.*/)?(sink-[^/]*|sinks-(api|core)|delivery)/src/main/java/.*\\.java");

    /** A reason that is given, as a literal or a constant; behind a number, perhaps. */
    private static final Pattern GIVEN =
            Pattern.compile("(?:\\bFailure\\.of|[\\s(]of|\\bdropped|\\brefuse|\\bdrop|\\bsettle|\\bshut)\\(\\s*"
                    + "(?:[\\w().]+,\\s*)?(?:\"([a-z_]+)\"?|(?:([A-Z]\\w+)\\.)?([A-Z_]{3,}))\\s*[,)+]");

    private static final Pattern CONSTANT = Pattern.compile("String ([A-Z_]+) = \"([a-z_]+)\"");
    private static final Pattern FAULTS = Pattern.compile("(?s)\\benum \\w+ \\{(.*?DISK_FULL.*?);");
    private static final Pattern FAULT = Pattern.compile("\\b[A-Z][A-Z_]+\\b(?=[,;]|\\s*$)");
    private static final Pattern CELL = Pattern.compile("`([a-z_0-9]+)(?:<[a-z]+>)?`");

    /** They say what a flush or a status is about, and not what became of an event. */
    private static final Set<String> NO_DROPS = Set.of("export_pending");

    private static final Map<String, String> SOURCES = new HashMap<>(); // by file

    private static String page;

    @BeforeAll
    static void read() throws IOException {
        page = Files.readString(Repository.ROOT.resolve("docs/troubleshooting.md"));
        for (Path file : Repository.files(name -> MAY_DROP.matcher(name).matches())) {
            SOURCES.put(file.toString(), Files.readString(file));
        }
    }

    @Test
    void reasons_areExplained() {
        assertThat(documented()).containsAll(given());
    }

    @Test
    void explainedReasons_areGiven() {
        String all = String.join("\n", SOURCES.values());
        Set<String> given = given();

        assertThat(documented().stream().filter(reason -> !given.contains(reason) && !all.contains('"' + reason + '"')))
                .as("reasons that nothing gives")
                .isEmpty();
    }

    private static Set<String> documented() {
        String section = page.substring(page.indexOf("### Reasons of drops"), page.indexOf("## The disk fills"));
        return section.lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split("\\|", -1)[1])
                .flatMap(cell -> CELL.matcher(cell).results().map(reason -> reason.group(1)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> given() {
        Set<String> given = new TreeSet<>();
        SOURCES.values().forEach(source -> {
            GIVEN.matcher(source).results().forEach(reason -> given.addAll(words(source, reason)));
            FAULTS.matcher(source)
                    .results()
                    .flatMap(faults -> FAULT.matcher(faults.group(1).replaceAll("(?s)/\\*.*?\\*/", ""))
                            .results()
                            .map(MatchResult::group))
                    .forEach(fault -> given.add(fault.toLowerCase(Locale.ROOT)));
        });
        given.removeAll(NO_DROPS);
        assertThat(given).hasSizeGreaterThan(35).contains("queue_full", "disk_full", "export_http_");
        return given;
    }

    /** Returns the word of a reason; of a constant of another type, the words of all constants that stand there. */
    private static Collection<String> words(String source, MatchResult reason) {
        if (reason.group(1) != null) {
            return List.of(reason.group(1));
        }
        String name = reason.group(3);
        if (reason.group(2) == null) {
            return Optional.ofNullable(constants(source).get(name)).stream().toList();
        }
        return SOURCES.entrySet().stream()
                .filter(file -> file.getKey().endsWith(File.separator + reason.group(2) + ".java"))
                .map(file -> constants(file.getValue()))
                .filter(constants -> constants.containsKey(name))
                .flatMap(constants -> constants.values().stream())
                .toList();
    }

    private static Map<String, String> constants(String source) {
        return CONSTANT.matcher(source)
                .results()
                .collect(Collectors.toMap(constant -> constant.group(1), constant -> constant.group(2)));
    }
}

package dev.rlm.benchmarks.job;

import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Goal;
import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.benchmarks.reading.Journals;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The figures of commands by which people look around in a journal. */
final class BrowsingFigures {
    private static final int LARGE = 500_000; // steps, with their texts: 1 GB
    private static final int SMALL = LARGE / 100;
    private static final int MILLION = 1_000_000; // with short texts: 1 GB
    private static final int MOST_ROUNDS = 3;
    private static final String LIST = "rlm list, 1 GB";
    private static final String LIST_SMALL = "rlm list, 10 MB";
    private static final String SHOW = "rlm show, 1 GB";
    private static final String SHOW_SMALL = "rlm show, 10 MB";
    private static final String LIST_UNKNOWN = "rlm list, 1 GB without an index";
    private static final String SEARCH = "rlm search";
    private static final String FIRST_HIT = "rlm search, one hit";
    private static final String GREP = "grep";
    private static final String RARE = "words that no text has";

    private static @Nullable Path index; // of all these journals

    private final Path root;

    /**
     * The figures of a launcher.
     *
     * @param root where it is
     */
    BrowsingFigures(Path root) {
        this.root = root;
    }

    List<Figure> figures() {
        return Stream.of(known(), unknown(), search())
                .map(figure -> figure.atMostRounds(MOST_ROUNDS))
                .toList();
    }

    private Figure known() {
        return new Figure(
                19,
                "one look at a journal whose index is kept",
                List.of(
                        look(LIST_SMALL, SMALL, "list", "--limit", "20"),
                        look(LIST, LARGE, "list", "--limit", "20"),
                        look(SHOW_SMALL, SMALL, "show", "last"),
                        look(SHOW, LARGE, "show", "last")),
                List.of(
                        Goal.ratio(Commands.CPU, LIST, LIST_SMALL).atMost(1.3),
                        Goal.ratio(Commands.CPU, SHOW, SHOW_SMALL).atMost(1.3),
                        Goal.of(Commands.CPU, LIST).atMost(0.6),
                        Goal.of(Commands.CPU, SHOW).atMost(0.6)));
    }

    private Figure unknown() {
        return new Figure(
                19,
                "the first look at a journal",
                List.of(command(LIST_UNKNOWN, () -> List.of("list", "--journal", journal(LARGE), "--index", "none"))),
                List.of(Goal.of(Commands.CPU, LIST_UNKNOWN).atMost(8)));
    }

    /** In a plain file, as grep can search it. */
    private Figure search() {
        return new Figure(
                19,
                "a text in a journal of 1 GB in one file",
                List.of(new Grep(), search(SEARCH, RARE), search(FIRST_HIT, "observation", "--limit", "1")),
                List.of(
                        Goal.ratio(Commands.MILLIS, SEARCH, GREP).atMost(4),
                        Goal.of(Commands.MILLIS, FIRST_HIT).atMost(300)));
    }

    private Contender look(String name, int steps, String... command) {
        return command(name, () -> indexed(journal(steps), command));
    }

    private Contender search(String name, String... what) {
        return command(name, () -> {
            List<String> command = new ArrayList<>(List.of("search"));
            command.addAll(List.of(what));
            return indexed(Journals.of(MILLION).toString(), command.toArray(String[]::new));
        });
    }

    private Contender command(String name, Supplier<List<String>> arguments) {
        return new Launched(name, root, false, arguments);
    }

    private static String journal(int steps) {
        return Journals.compressed(steps).toString();
    }

    /** Returns a command on a journal, of which there is an index then. */
    private List<String> indexed(String journal, String... command) {
        List<String> options = List.of("--journal", journal, "--index", index().toString());
        List<String> list = new ArrayList<>(List.of("list", "--limit", "1"));
        list.addAll(options);
        var unused = new Launched("the index", root, false, () -> list).measure();
        List<String> whole = new ArrayList<>(List.of(command));
        whole.addAll(options);
        return whole;
    }

    private static synchronized Path index() {
        Path known = index;
        if (known == null) {
            try {
                known = TemporaryFolder.untilExit("index").path();
            } catch (IOException e) {
                throw new FigureException("no folder for indexes: " + e.getMessage());
            }
            index = known;
        }
        return known;
    }

    /** The program that people would search plain files with. */
    private static final class Grep implements Contender {
        @Override
        public String name() {
            return GREP;
        }

        @Override
        public Sample measure() {
            Path journal = Journals.of(MILLION);
            String found = "grep -rcF '" + RARE + "' . || [ $? = 1 ]";
            return new Commands(GREP, journal, Map.of(), 1, List.of("sh", "-c", found)).measure();
        }
    }
}

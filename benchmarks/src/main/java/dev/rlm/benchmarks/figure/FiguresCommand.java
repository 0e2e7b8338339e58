package dev.rlm.benchmarks.figure;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that measures all figures, and writes them down with their goals. */
@Command(
        name = "figures",
        description = "Measures all figures that have a goal, beside their peers, and writes a table.",
        mixinStandardHelpOptions = true)
public final class FiguresCommand implements Callable<Integer> {
    private final Supplier<List<Figure>> all;
    private final Supplier<Map<String, String>> versions;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Option(names = "--figure", paramLabel = "NUMBER", split = ",", description = "These only (all), such as 1,4.")
    private @Nullable List<Integer> numbers;

    @Option(names = "--rounds", paramLabel = "N", description = "How often each is measured (${DEFAULT-VALUE}).")
    private int rounds = 3;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Where to write RESULTS.md and results.json; else the table is only printed.")
    private @Nullable Path folder;

    /**
     * The command for these figures.
     *
     * @param versions of the peers, by name
     */
    public FiguresCommand(Supplier<List<Figure>> all, Supplier<Map<String, String>> versions) {
        this.all = all;
        this.versions = versions;
    }

    @Override
    public Integer call() throws IOException {
        Instant began = Instant.now();
        double load = Conditions.currentLoad();
        List<Result> results = measure(chosen(), began);
        FiguresReport report = new FiguresReport(
                new Conditions(began, Duration.between(began, Instant.now()), load, command(), rounds, versions.get()),
                results);
        report.print(spec.commandLine().getOut());
        if (folder != null) {
            write(report, folder);
        }
        return results.stream().allMatch(result -> result.trouble() == null) ? 0 : 1;
    }

    private List<Figure> chosen() {
        if (rounds < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds: at least 1, not " + rounds);
        }
        List<Figure> figures = all.get();
        SortedSet<Integer> known = figures.stream().map(Figure::number).collect(Collectors.toCollection(TreeSet::new));
        List<Integer> wanted = numbers == null ? List.copyOf(known) : numbers;
        wanted.stream().filter(number -> !known.contains(number)).findFirst().ifPresent(unknown -> {
            throw new ParameterException(spec.commandLine(), "--figure: there is no " + unknown + ", but " + known);
        });
        return figures.stream()
                .filter(figure -> wanted.contains(figure.number()))
                .toList();
    }

    private List<Result> measure(List<Figure> figures, Instant began) {
        PrintWriter progress = spec.commandLine().getErr();
        List<Result> results = new ArrayList<>();
        for (Figure figure : figures) {
            results.add(Result.measure(figure, rounds, (measured, contender, round, of) -> {
                long seconds = Duration.between(began, Instant.now()).toSeconds();
                progress.printf(
                        "%d:%02d  %d, %s: round %d of %d, %s%n",
                        seconds / 60,
                        seconds % 60,
                        measured.number(),
                        measured.title(),
                        round + 1,
                        of,
                        contender.name());
                progress.flush();
            }));
        }
        return results;
    }

    private String command() {
        return "benchmarks/run "
                + String.join(
                        " ",
                        spec.commandLine().getParent() == null
                                ? List.of(spec.name())
                                : spec.commandLine()
                                        .getParent()
                                        .getParseResult()
                                        .originalArgs());
    }

    private static void write(FiguresReport report, Path folder) throws IOException {
        Files.createDirectories(folder);
        try (PrintWriter table = new PrintWriter(Files.newBufferedWriter(folder.resolve("RESULTS.md")));
                PrintWriter json = new PrintWriter(Files.newBufferedWriter(folder.resolve("results.json")))) {
            report.print(table);
            report.printJson(json);
        }
    }
}

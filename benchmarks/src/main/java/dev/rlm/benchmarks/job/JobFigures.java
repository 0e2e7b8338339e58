package dev.rlm.benchmarks.job;

import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.Figure;
import dev.rlm.benchmarks.figure.Fork;
import dev.rlm.benchmarks.figure.Goal;
import dev.rlm.benchmarks.reading.Journals;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The figures of whole jobs, of the program's start, and of what is needed for it. */
public final class JobFigures {
    private static final String DATASET = "GSM8K_SOLUTIONS";
    private static final String RLM = "rlm";
    private static final String NONE = "no sink";
    private static final String SINKS = "rlm sinks";
    private static final String EMPTY = "an empty picocli program";
    private static final String LIBRARIES = "sinks-api, sink-jsonl, sink-otel and all that they need";
    private static final int STARTS = 3;
    private static final String RESEND = "rlm resend";
    private static final String REPORT = "rlm report";
    private static final int STEPS = 100_000;
    private static final double MOST_OF_RESEND = 3.7; // seconds: a third of what it took before there was a goal
    private static final double MOST_OF_REPORT = 2.1;

    private JobFigures() {}

    /** All of them; that of recorded solutions only where the variable {@code GSM8K_SOLUTIONS} says where these are. */
    public static List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        figures.add(new Figure(
                8,
                "steps of 1 ms of computation, 2 threads, all sinks on",
                List.of(Fork.of(RLM, "1g", WatchedJob.class).waitingForCompiler()),
                List.of(Goal.of(WatchedJob.TIME, RLM).atMost(1.03), Goal.of(WatchedJob.CPU, RLM))));
        String dataset = System.getenv(DATASET);
        if (dataset != null) {
            figures.add(replay(Path.of(dataset).toAbsolutePath()));
        }
        figures.add(cold());
        figures.add(start());
        figures.addAll(new BrowsingFigures(root()).figures());
        figures.add(new Figure(
                12,
                "what the sinks add to a program",
                List.of(new Libraries(LIBRARIES, root(), List.of("sinks-api", "sink-jsonl", "sink-otel"))),
                List.of(Goal.of(Libraries.MEGABYTES, LIBRARIES).atMost(7))));
        return figures;
    }

    private static Figure replay(Path dataset) {
        return new Figure(
                8,
                "a replay of recorded solutions, 2 at a time",
                List.of(replay(NONE, dataset, false), replay(RLM, dataset, true)),
                List.of(Goal.ratio(Commands.MILLIS, RLM, NONE).atMost(2)));
    }

    private static Contender replay(String name, Path dataset, boolean watched) {
        List<String> arguments =
                List.of("run", "--policy", "recorded", "--dataset", dataset.toString(), "--concurrency", "2");
        return new Launched(name, root(), watched, () -> arguments);
    }

    /** Of a journal with files that are compressed, in a program that has just started: half of it is compilation. */
    private static Figure cold() {
        return new Figure(
                11,
                "resend and report of 100,000 steps, from the start of the program to its exit",
                List.of(
                        reading(RESEND, path -> List.of("resend", "--journal", path, "--sink", "otel")),
                        reading(REPORT, path -> List.of("report", "--journal", path))),
                List.of(
                        Goal.of(Commands.CPU, RESEND).atMost(MOST_OF_RESEND),
                        Goal.of(Commands.CPU, REPORT).atMost(MOST_OF_REPORT)));
    }

    private static Contender reading(String name, Function<String, List<String>> arguments) {
        return new Launched(
                name,
                root(),
                true,
                () -> arguments.apply(Journals.compressed(STEPS).toString()));
    }

    private static Figure start() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new Figure(
                12,
                "from the start of a program to its exit",
                List.of(
                        new Commands(
                                EMPTY,
                                root(),
                                Map.of(),
                                STARTS,
                                List.of(
                                        java,
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        EmptyProgram.class.getName())),
                        new Commands(
                                SINKS,
                                root(),
                                Map.of(),
                                STARTS,
                                List.of(root().resolve("rlm").toString(), "sinks"))),
                List.of(Goal.ratio(Commands.MILLIS, SINKS, EMPTY).atMost(1.5)));
    }

    /** Returns the folder of the launcher: above the archive that this program was started from. */
    private static Path root() {
        Path folder =
                Path.of(System.getProperty("java.class.path").split(":", -1)[0]).toAbsolutePath();
        while (folder.getParent() != null && !Files.isExecutable(folder.resolve("rlm"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}

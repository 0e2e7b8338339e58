package dev.rlm.runs;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.RunFilter;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.recorded.LastRun;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.maintenance.RunDeletion;
import dev.rlm.journal.maintenance.RunsDeleted;
import java.io.Console;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.core.JsonGenerator;

/** The command that takes runs out of a journal for good. */
@Command(
        name = "delete",
        description = "Deletes runs from a journal for good: those that are named, or all that fit the options.",
        mixinStandardHelpOptions = true)
public final class DeleteCommand extends JournalVerb {
    private static final int SHOWN = 10;

    @Parameters(
            paramLabel = "RUN",
            arity = "0..*",
            completionCandidates = LastRun.class,
            description = "The runs' ids, or the beginnings of them; last for the run that started last.")
    private List<String> named = new ArrayList<>();

    @Mixin
    private final RunFilter filter = new RunFilter();

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Option(names = "--dry-run", description = "Say what would be deleted, and delete nothing.")
    private boolean dryRun;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    protected int execute() throws Exception {
        RunDeletion deletion = chosen();
        if (dryRun || deletion.runs().isEmpty()) {
            print(deletion, null);
            return dryRun || deletion.refused().isEmpty() ? CommandLine.ExitCode.OK : 1;
        }
        if (!yes
                && !isMeant(deletion)) { // asked before signals are taken: one ends a program that waits for its answer
            err().println("nothing was deleted");
            err().flush();
            return 1;
        }
        return interruptibly(() -> delete(deletion));
    }

    private RunDeletion chosen() {
        boolean filtered = given().matchedOptions().stream().anyMatch(DeleteCommand::isOfFilter);
        if (named.isEmpty() && !filtered) {
            throw new UsageException(
                    "no run is chosen: name runs, or give an option that chooses some, such as --sample");
        } else if (!named.isEmpty() && filtered) {
            throw new UsageException("runs are named, and chosen by options as well: give one of the two");
        }
        Journal journal = open();
        List<RunSummary> runs = named.isEmpty()
                ? Stream.concat(journal.runs().stream(), journal.onlyScored().stream())
                        .filter(filter::accepts)
                        .toList()
                : List.copyOf(
                        new LinkedHashSet<>(named.stream().map(journal::run).toList()));
        return RunDeletion.of(journal, runs);
    }

    private static boolean isOfFilter(CommandLine.Model.OptionSpec option) {
        return option.userObject() instanceof Field field
                && field.getDeclaringClass().isAssignableFrom(RunFilter.class);
    }

    @SuppressWarnings("SystemConsoleNull") // from JDK 22 on the line that it reads is null instead
    private boolean isMeant(RunDeletion deletion) {
        Console person = System.console();
        if (person != null) {
            plan(deletion).forEach(err()::println);
            err().flush();
            String answer = person.readLine("Delete for good? [y/N] ");
            if (answer != null) {
                return List.of("y", "yes").contains(answer.strip().toLowerCase(Locale.ROOT));
            }
        }
        throw new UsageException("there is no terminal to ask at: --yes deletes "
                + Counted.of(deletion.runs().size(), "run") + " for good, --dry-run says which");
    }

    private int delete(RunDeletion deletion) {
        AtomicInteger folders = new AtomicInteger();
        RunsDeleted deleted;
        forget(deletion);
        try (Progress ignored = progress(() -> folders.get() + " folders have been looked through")) {
            deleted = deletion.delete(folders::set);
        } finally {
            forget(deletion); // what others have made meanwhile
        }
        boolean interrupted = Thread.interrupted() || deleted.interrupted();
        print(deletion, deleted);
        if (interrupted) {
            console().error("interrupted: some of these runs may be there in part; delete them again");
            return Interruption.EXIT_CODE;
        }
        deleted.problems().forEach(console()::error);
        return deleted.isComplete() && deletion.refused().isEmpty() ? CommandLine.ExitCode.OK : 1;
    }

    /** Deletes the indexes that name the runs. */
    private void forget(RunDeletion deletion) {
        deletion.runs().stream()
                .flatMap(run -> run.folders().stream())
                .distinct()
                .forEach(folder -> {
                    try {
                        index().forget(folder);
                    } catch (IOException e) {
                        console().error("an index of " + folder + " is not deleted: " + e);
                    }
                });
    }

    /** Prints what is to be done, and what was. */
    private void print(RunDeletion deletion, @Nullable RunsDeleted deleted) {
        if (json) {
            JsonOutput.print(out(), generator -> write(generator, deletion, deleted));
        } else if (deleted != null) {
            result(deleted).forEach(out()::println);
        } else if (deletion.runs().isEmpty()) {
            out().println("no run to delete");
        } else {
            plan(deletion).forEach(out()::println);
        }
        out().flush();
        if (!deletion.refused().isEmpty()) {
            console()
                    .error(Counted.of(deletion.refused().size(), "run")
                            + " not deleted, as a process still writes there: "
                            + some(deletion.refused(), run -> run.runId() + " in " + run.folders())
                            + "; try again when it has ended");
        }
    }

    private static List<String> plan(RunDeletion deletion) {
        return List.of(
                line("runs", deletion.runs().size() + ": " + some(deletion.runs(), run -> run.runId())),
                line("folders", deletion.folders().size() + ": " + some(deletion.folders(), Path::toString)));
    }

    private static List<String> result(RunsDeleted deleted) {
        List<String> lines = new ArrayList<>();
        String where =
                " in " + Counted.of(deleted.folders(), "folder") + ", " + Counted.of(deleted.files(), "kept file");
        lines.add(line(
                "deleted",
                deleted.isComplete()
                        ? Counted.of(deleted.runs(), "run") + ": " + Counted.of(deleted.lines(), "line") + where
                        : Counted.of(deleted.lines(), "line") + where + "; not all of "
                                + Counted.of(deleted.runs(), "run")));
        if (deleted.damagedLines() > 0) {
            lines.add(line(
                    "damage", Counted.of(deleted.damagedLines(), "damaged line") + " with these runs' ids among them"));
        }
        if (deleted.doubtful() > 0) {
            lines.add(
                    line("damage", Counted.of(deleted.doubtful(), "damaged line") + " left, which may be of any run"));
        }
        lines.add(line("beyond", "what was sent to other sinks, exported or copied is to be deleted there"));
        return lines;
    }

    private static String line(String name, String text) {
        return Printable.line("%-8s %s".formatted(name, text));
    }

    private static <T> String some(List<T> things, Function<T, String> name) {
        String first = things.stream().limit(SHOWN).map(name).collect(Collectors.joining(", "));
        return things.size() > SHOWN ? first + " and " + (things.size() - SHOWN) + " more" : first;
    }

    private static void write(JsonGenerator generator, RunDeletion deletion, @Nullable RunsDeleted deleted) {
        ids(generator, "runs", deletion.runs());
        ids(generator, "refused", deletion.refused());
        generator.writeBooleanProperty("deleted", deleted != null && deleted.isComplete());
        if (deleted != null) {
            generator.writeNumberProperty("lines", deleted.lines());
            generator.writeNumberProperty("damaged_lines", deleted.damagedLines());
            generator.writeNumberProperty("doubtful_lines", deleted.doubtful());
            generator.writeNumberProperty("files", deleted.files());
            generator.writeNumberProperty("folders", deleted.folders());
            generator.writeBooleanProperty("interrupted", deleted.interrupted());
            generator.writeArrayPropertyStart("problems");
            deleted.problems().forEach(generator::writeString);
            generator.writeEndArray();
        }
    }

    private static void ids(JsonGenerator generator, String name, List<RunSummary> runs) {
        generator.writeArrayPropertyStart(name);
        runs.forEach(run -> generator.writeString(run.runId()));
        generator.writeEndArray();
    }
}

package dev.rlm.runner.replay;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the policy that says again what was recorded. */
public final class ReplayOptions {
    private static final String ALL = "all";

    @Option(
            names = "--replay",
            paramLabel = "RUN",
            arity = "0..1",
            fallbackValue = ALL,
            description =
                    "Replay this run of a journal, by its id or its beginning, or all runs of it; the policy is replay then."
                            + " May be repeated.")
    private List<String> runs = new ArrayList<>();

    @Option(
            names = "--replay-where",
            paramLabel = "OPTION",
            description =
                    "Replay the runs that this option of list chooses, such as model=m or no-solved. May be repeated.")
    private List<String> where = new ArrayList<>();

    @Option(
            names = "--replay-journal",
            paramLabel = "DIR",
            description = "The journal that has these runs; that of this job unless given.")
    private @Nullable Path journal;

    @Option(
            names = "--replay-tools",
            paramLabel = "HOW",
            description = "live (default): call tools again; recorded: take their answers from the record.")
    private Tools tools = Tools.live;

    /** Sources of the answers of tools. */
    public enum Tools {
        /** From the tools. */
        live,
        /** From the record. */
        recorded
    }

    /** Returns whether runs are chosen. */
    public boolean isGiven() {
        return !runs.isEmpty() || !where.isEmpty();
    }

    /** Returns the ids of the runs that are named, or their beginnings; none for all. */
    public List<String> named() {
        return runs.stream().filter(run -> !run.equals(ALL)).toList();
    }

    /** Returns the options of {@code list} that choose runs, without dashes. */
    public List<String> where() {
        return where;
    }

    public @Nullable Path journal() {
        return journal;
    }

    public boolean isOfRecordedTools() {
        return tools == Tools.recorded;
    }
}

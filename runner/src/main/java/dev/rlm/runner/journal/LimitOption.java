package dev.rlm.runner.journal;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** How many of the runs that fit, the latest of them. */
public final class LimitOption {
    @Option(names = "--limit", paramLabel = "N", description = "No more than the latest N of these.")
    private @Nullable Integer limit;

    /**
     * Looks at what was given.
     *
     * @throws ParameterException if it is no number of runs
     */
    public void check(CommandLine commandLine) {
        if (limit != null && limit < 0) {
            throw new ParameterException(commandLine, "--limit must be at least 0, was " + limit);
        }
    }

    /** The last of them, as many as are wanted. */
    public <T> List<T> latest(List<T> fitting) {
        return limit == null ? fitting : fitting.subList(Math.max(0, fitting.size() - limit), fitting.size());
    }
}

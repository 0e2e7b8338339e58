package dev.rlm.cli.recorded;

import dev.rlm.cli.RunSelection;
import dev.rlm.cli.UsageException;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option for the largest number of fitting runs to take. */
public final class LimitOption {
    @Option(names = "--limit", paramLabel = "N", description = "No more than the latest N of these.")
    private @Nullable Integer limit;

    /**
     * Returns the last of them, as many as are wanted.
     *
     * @throws UsageException if that is no number of runs
     */
    public <T> List<T> latest(List<T> fitting) {
        return fitting.subList(Math.max(0, fitting.size() - most(fitting.size())), fitting.size());
    }

    /**
     * Returns the last of a journal's runs that fit, as many as are wanted.
     *
     * @throws UsageException if that is no number of runs
     */
    public List<RunSummary> latest(Journal journal, RunSelection filter) {
        return latest(journal.runs().stream().filter(filter::accepts).toList());
    }

    /**
     * Returns the first of them, as many as are wanted.
     *
     * @throws UsageException if that is no number of runs
     */
    public <T> List<T> first(List<T> fitting) {
        return fitting.subList(0, Math.min(most(fitting.size()), fitting.size()));
    }

    /**
     * Returns how many are wanted.
     *
     * @param usual where that is not said
     * @throws UsageException if that is no number of them
     */
    public int most(int usual) {
        if (limit != null && limit < 0) {
            throw new UsageException("--limit must be at least 0, was " + limit);
        }
        return limit == null ? usual : limit;
    }
}

package dev.rlm.sinks.jsonl;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the run that a person means. */
final class RunIds {
    private static final String LAST = "last";
    private static final int CANDIDATES = 5;

    private RunIds() {}

    /**
     * Returns the run of that id, or of {@code last} the latest one, or the only one whose id begins like that or that is an attempt
     * at the rollout of that id.
     *
     * @param others than those that count, which ids alone name
     * @param runs of a journal, in the order of their starts
     * @throws JournalException if there is none, or more than one; the message names candidates
     */
    static RunSummary resolve(String name, List<RunSummary> others, List<RunSummary> runs, Path directory) {
        List<RunSummary> all = Stream.concat(others.stream(), runs.stream()).toList();
        for (RunSummary run : all) {
            if (run.runId().equals(name)) {
                return run;
            }
        }
        if (name.equals(LAST) && !all.isEmpty()) {
            return all.get(all.size() - 1);
        }
        List<RunSummary> found = Stream.concat(
                        all.stream().filter(run -> run.runId().startsWith(name)),
                        runs.stream().filter(run -> isAttemptAt(name, run)))
                .distinct()
                .toList();
        if (found.size() == 1) {
            return found.get(0);
        }
        throw notOne(name, found, all, directory);
    }

    private static boolean isAttemptAt(String rollout, RunSummary run) {
        return rollout.equals(run.row().run().correlation().rollout());
    }

    private static JournalException notOne(String name, List<RunSummary> found, List<RunSummary> all, Path directory) {
        if (found.isEmpty()) {
            String latest = all.stream()
                    .skip(Math.max(0, all.size() - CANDIDATES))
                    .map(RunSummary::runId)
                    .collect(Collectors.joining(", "));
            return new JournalException("no run '" + name + "' in " + directory
                    + (all.isEmpty() ? ", which has no runs" : "; its latest are " + latest));
        }
        String first = found.stream()
                .limit(CANDIDATES)
                .map(run -> run.runId() + (isAttemptAt(name, run) ? " (attempt " + run.attempt() + ")" : ""))
                .collect(Collectors.joining(", "));
        String more = found.size() > CANDIDATES ? ", …" : "";
        return new JournalException("'" + name + "' fits " + found.size() + " runs: " + first + more);
    }
}

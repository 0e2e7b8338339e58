package dev.rlm.journal;

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
    static <T extends Named> T resolve(String name, List<T> others, List<T> runs, Path directory) {
        List<T> all = Stream.concat(others.stream(), runs.stream()).toList();
        for (T run : all) {
            if (run.runId().equals(name)) {
                return run;
            }
        }
        if (name.equals(LAST) && !all.isEmpty()) {
            return all.get(all.size() - 1);
        }
        List<T> found = Stream.concat(
                        all.stream().filter(run -> run.runId().startsWith(name)),
                        runs.stream().filter(run -> run.isAttemptAt(name)))
                .distinct()
                .toList();
        if (found.size() == 1) {
            return found.get(0);
        }
        throw notOne(name, found, all, directory);
    }

    private static JournalException notOne(
            String name, List<? extends Named> found, List<? extends Named> all, Path directory) {
        if (found.isEmpty()) {
            String latest = all.stream()
                    .skip(Math.max(0, all.size() - CANDIDATES))
                    .map(Named::runId)
                    .collect(Collectors.joining(", "));
            return new JournalException("no run '" + name + "' in " + directory
                    + (all.isEmpty() ? ", which has no runs" : "; its latest are " + latest));
        }
        String first = found.stream()
                .limit(CANDIDATES)
                .map(run -> run.runId() + (run.isAttemptAt(name) ? " (attempt " + run.attempt() + ")" : ""))
                .collect(Collectors.joining(", "));
        String more = found.size() > CANDIDATES ? ", …" : "";
        return new JournalException("'" + name + "' fits " + found.size() + " runs: " + first + more);
    }

    /** Run, by its names. */
    interface Named {
        String runId();

        int attempt();

        boolean isAttemptAt(String rollout);
    }
}

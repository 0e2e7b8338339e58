package dev.rlm.sinks.jsonl;

import java.util.List;

/**
 * What a {@link Recovery} found and did.
 *
 * @param writers how many writers had died of which something was left to do
 * @param runs how many runs were given an end because their process had died
 * @param living how many writers were left alone, because they live or because another recovery is at them
 * @param problems what could not be done; a line each
 */
public record Recovered(int writers, int runs, int living, List<String> problems) {
    public Recovered {
        problems = List.copyOf(problems);
    }

    /** Whether there was nothing to do. */
    public boolean isNothing() {
        return writers == 0 && problems.isEmpty();
    }
}

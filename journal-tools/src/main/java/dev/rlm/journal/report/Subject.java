package dev.rlm.journal.report;

import java.util.Set;

/** What a report can be of. An option that says nothing of it is refused: who gives it expects that it counts. */
enum Subject {
    RUNS,
    METRICS,
    PHASES;

    private static final String SINCE = "--since";
    private static final Set<String> OF_METRICS =
            Set.of("--metrics", SINCE, "--journal", "--json", "--csv", "--markdown", "--verbose");
    private static final Set<String> OF_QUALITY =
            Set.of("--against", "--k", "--worst", "--pass-reward", "--pass-on", SINCE);

    /** Whether the option of that name has a meaning for it. */
    boolean takes(String option) {
        return switch (this) {
            case RUNS -> !option.equals(SINCE);
            case METRICS -> OF_METRICS.contains(option);
            case PHASES -> !OF_QUALITY.contains(option);
        };
    }

    /** What to call it in front of an option that it does not take. */
    String title() {
        return switch (this) {
            case RUNS -> "a report of runs";
            case METRICS -> "--metrics";
            case PHASES -> "--phases";
        };
    }
}

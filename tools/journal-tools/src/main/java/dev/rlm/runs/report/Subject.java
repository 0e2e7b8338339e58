package dev.rlm.runs.report;

import java.util.Set;

/** Subject of a report. An option that does not apply to it is refused, because its user expects an effect. */
enum Subject {
    RUNS,
    METRICS,
    CURVES,
    PHASES,
    TRAJECTORIES,
    REWARDS,
    TOKENS,
    FAILED_TOOLS,
    HEALTH;

    private static final String X_AXIS = "--x-axis";
    private static final String FAIL_ON = "--fail-on";
    private static final String BOUND = "--bound";
    private static final Set<String> OF_METRICS = Set.of(
            "--metrics", "--since", "--until", "--journal", "--json", "--csv", "--markdown", "--verbose", "--quiet");
    private static final Set<String> OF_QUALITY =
            Set.of("--against", "--k", "--worst", "--pass-reward", "--pass-on", X_AXIS, FAIL_ON, BOUND);
    private static final Set<String> NOT_OF_CURVES = Set.of("--by", "--against", "--k", "--worst", FAIL_ON, BOUND);

    /** Returns whether the option of that name applies to it. */
    boolean takes(String option) {
        return switch (this) {
            case RUNS -> !Set.of(X_AXIS, BOUND).contains(option);
            case METRICS -> OF_METRICS.contains(option);
            case CURVES -> !NOT_OF_CURVES.contains(option);
            case PHASES, TRAJECTORIES, REWARDS -> !OF_QUALITY.contains(option);
            case TOKENS, FAILED_TOOLS -> !OF_QUALITY.contains(option) && !option.equals("--by");
            case HEALTH -> Set.of(FAIL_ON, BOUND).contains(option) || TOKENS.takes(option);
        };
    }

    /** Returns its name for the message on an option that it does not take. */
    String title() {
        return switch (this) {
            case RUNS -> "a report of runs";
            case METRICS -> "--metrics";
            case CURVES -> "--curves";
            case PHASES -> "--phases";
            case TRAJECTORIES -> "--trajectories";
            case REWARDS -> "--rewards";
            case TOKENS -> "--tokens";
            case FAILED_TOOLS -> "--failed-tools";
            case HEALTH -> "--health";
        };
    }
}

package dev.rlm.runs.scan;

import dev.rlm.cli.UsageException;
import dev.rlm.sinks.schema.RewardVersion;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Rules by which a run's transcript is read without a model. The same run always has the same findings. */
enum ScanRule {
    LOOP(1, Voids.NOTHING, true),
    TOOL_STORM(1, Voids.NOTHING, true),
    TRUNCATION(1, Voids.FAILURE, true),
    ANSWER_GIVEN(1, Voids.SUCCESS, true),
    ANSWER_SEEN(1, Voids.SUCCESS, false),
    GRADER_TOUCHED(2, Voids.SUCCESS, true),
    EMPTY_SUCCESS(1, Voids.SUCCESS, true),
    ENVIRONMENT_FAULT(1, Voids.FAILURE, true),
    REFUSAL(1, Voids.NOTHING, true);

    /** Verdict on a run that a finding makes void. */
    enum Voids {
        SUCCESS,
        FAILURE,
        NOTHING;

        String label() {
            return "voids " + name().toLowerCase(Locale.ROOT);
        }
    }

    private static final String ALL = "all";

    private final int version; // another one where it finds something else
    private final Voids voids;
    private final boolean usual;

    ScanRule(int version, Voids voids, boolean usual) {
        this.version = version;
        this.voids = voids;
        this.usual = usual;
    }

    /** Returns the rules of these names; those that are on by default if there are no names. */
    static List<ScanRule> named(@Nullable List<String> names) {
        if (names == null || names.isEmpty()) {
            return Arrays.stream(values()).filter(rule -> rule.usual).toList();
        }
        List<ScanRule> chosen = names.stream()
                .filter(name -> !name.equals(ALL))
                .map(ScanRule::of)
                .distinct()
                .sorted()
                .toList();
        return names.contains(ALL) ? List.of(values()) : chosen;
    }

    private static ScanRule of(String name) {
        return Arrays.stream(values())
                .filter(rule -> rule.label().equals(name))
                .findFirst()
                .orElseThrow(() -> UsageException.unknown("rule", name, names(), null));
    }

    /** Returns the names of all, and the word for all of them. */
    static List<String> names() {
        return Stream.concat(Arrays.stream(values()).map(ScanRule::label), Stream.of(ALL))
                .toList();
    }

    /** Returns its name as users write it. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    Voids voids() {
        return voids;
    }

    /** Returns what its findings are kept as. */
    RewardVersion score() {
        return new RewardVersion(RewardVersion.FINDING + label(), String.valueOf(version));
    }

    /** Looks at a run; cites nothing where there is nothing to find. */
    List<Citation> look(ScannedRun run) {
        return switch (this) {
            case LOOP -> Repetitions.loops(run);
            case TOOL_STORM -> Repetitions.storms(run);
            case TRUNCATION -> Ends.truncations(run);
            case ANSWER_GIVEN -> GivenAnswers.called(run);
            case ANSWER_SEEN -> GivenAnswers.seen(run);
            case GRADER_TOUCHED -> GraderTouches.of(run);
            case EMPTY_SUCCESS -> Ends.emptySuccesses(run);
            case ENVIRONMENT_FAULT -> Faults.of(run);
            case REFUSAL -> Ends.refusals(run);
        };
    }
}

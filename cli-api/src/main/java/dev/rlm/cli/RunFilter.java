package dev.rlm.cli;

import dev.rlm.sinks.jsonl.RunSummary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@link RunSelection}, and one more, about the rewards of runs. */
public final class RunFilter extends RunSelection implements Cloneable {
    @Option(
            names = "--reward",
            paramLabel = "RANGE",
            converter = Range.OfNumbers.class,
            description = "Runs with a total reward in this range, such as -1..0.5, 0.5.. or ..0.")
    private @Nullable Range<Double> reward;

    @Override
    public boolean accepts(RunSummary run) {
        return super.accepts(run)
                && (reward == null || (run.rewards().isUsable() && reward.contains(run.totalReward())));
    }

    /**
     * The same filter for the other side of a comparison.
     *
     * @param otherModel in the place of the model that was asked for; {@code null} leaves that
     * @param otherTags added to those that were asked for; of the same name they take their place
     */
    public RunFilter against(@Nullable String otherModel, Map<String, String> otherTags) {
        RunFilter other = copy();
        other.model = otherModel == null ? model : otherModel;
        other.tags = new LinkedHashMap<>(tags);
        other.tags.putAll(otherTags);
        return other;
    }

    private RunFilter copy() {
        try {
            return (RunFilter) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** The model and the tags that were asked for, to tell two sides of a comparison apart; empty where none were. */
    public String label() {
        List<String> parts = new ArrayList<>();
        if (model != null) {
            parts.add(model);
        }
        tags.forEach((name, value) -> parts.add(name + "=" + value));
        return String.join(", ", parts);
    }
}

package dev.rlm.runs.report.figures;

import dev.rlm.journal.RunSummary;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.RunInfo;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Property by which runs are told apart; {@link #TOOL} tells their calls of tools apart. */
public enum Dimension {
    ENVIRONMENT,
    MODEL,
    SAMPLE,
    SPLIT,
    EXPERIMENT,
    EPOCH,
    TRAIN_STEP,
    POLICY_VERSION,
    TRAJECTORY_INDEX,
    FAILURE,
    LAYER,
    TOOL;

    /** Returns the run's value; empty if it has none. */
    String of(RunSummary summary) {
        return this == LAYER ? layer(summary) : of(summary.row().run(), summary.failure());
    }

    /** Returns the run's value as far as its row tells it; empty for {@link #LAYER} and {@link #TOOL}. */
    public String of(RunInfo run, @Nullable String failure) {
        Object own = switch (this) {
            case ENVIRONMENT -> run.environment();
            case MODEL -> run.model();
            case SAMPLE -> run.correlation().sample();
            case SPLIT -> run.correlation().split();
            case EXPERIMENT -> run.correlation().experiment();
            case EPOCH -> run.correlation().epoch();
            case TRAIN_STEP -> run.correlation().trainStep();
            case POLICY_VERSION -> run.correlation().policyVersion();
            case TRAJECTORY_INDEX -> run.correlation().trajectoryIndex();
            case FAILURE -> failure;
            case LAYER, TOOL -> null;
        };
        return own == null ? "" : own.toString();
    }

    private static String layer(RunSummary summary) {
        Layer layer = Layer.of(summary);
        return layer == null ? "" : layer.field();
    }

    /** Names of a row, by the dimensions that tell it apart. */
    public static NamedFigures names(List<Dimension> dimensions, List<String> names) {
        NamedFigures fields = new NamedFigures();
        for (int i = 0; i < names.size(); i++) {
            fields.name(dimensions.get(i).field(), names.get(i));
        }
        return fields;
    }

    /** As it is typed: {@code train-step}. */
    public String option() {
        return field().replace('_', '-');
    }

    /** As records name it: {@code train_step}. */
    public String field() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reads one as it is typed. */
    public static final class Converter extends WordConverter<Dimension> {
        Converter() {
            super(List.of(values()), Dimension::option);
        }
    }
}

package dev.rlm.journal.report;

import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.jsonl.RunSummary;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What runs are told apart by; {@link #TOOL} tells their calls of tools apart. */
enum Dimension {
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
    TOOL;

    /** The run's own; empty where it has none. */
    String of(RunSummary summary) {
        RunInfo run = summary.row().run();
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
            case FAILURE -> summary.failure();
            case TOOL -> null;
        };
        return own == null ? "" : own.toString();
    }

    /** As it is typed: {@code train-step}. */
    String option() {
        return field().replace('_', '-');
    }

    /** As records name it: {@code train_step}. */
    String field() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reads one as it is typed. */
    static final class Converter implements ITypeConverter<Dimension> {
        @Override
        public Dimension convert(String text) {
            return Stream.of(values())
                    .filter(dimension -> dimension.option().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + text + "' is not known: known are "
                            + Stream.of(values()).map(Dimension::option).collect(Collectors.joining(", "))));
        }
    }
}

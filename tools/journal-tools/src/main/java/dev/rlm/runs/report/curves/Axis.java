package dev.rlm.runs.report.curves;

import dev.rlm.journal.RunSummary;
import dev.rlm.runs.report.figures.WordConverter;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.MetricsReported;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The x axis of curves. A run, or a report of numbers, lies at one place on it, or at none; a place is written as a text. */
public enum Axis {
    TRAIN_STEP,
    EPOCH,
    POLICY_VERSION,
    /** In spans of the same length, each named by its start. */
    TIME;

    private static final int MOST_SPANS = 100;

    /** Returns the first that a run, or a report, lies on. */
    public static Axis ofFirst(Collection<RunSummary> runs, Collection<MetricsReported> reports) {
        return Stream.of(TRAIN_STEP, EPOCH, POLICY_VERSION)
                .filter(axis -> runs.stream().anyMatch(run -> axis.of(run, 1) != null)
                        || reports.stream().anyMatch(report -> axis.of(report, 1) != null))
                .findFirst()
                .orElse(TIME);
    }

    /** Returns how many seconds spans of time have, so that there are not too many. */
    public static long seconds(Stream<Instant> times) {
        List<Instant> all = times.sorted().toList();
        long whole = all.isEmpty()
                ? 0
                : Duration.between(all.get(0), all.get(all.size() - 1)).toSeconds();
        return Stream.of(
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(10),
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(10),
                        Duration.ofHours(1),
                        Duration.ofHours(6),
                        Duration.ofDays(1))
                .map(Duration::toSeconds)
                .filter(seconds -> whole / seconds < MOST_SPANS)
                .findFirst()
                .orElse(Duration.ofDays(7).toSeconds());
    }

    /**
     * Returns the place of a run; {@code null} where it has none.
     *
     * @param seconds that a span of time has
     */
    @Nullable
    String of(RunSummary run, long seconds) {
        if (this == TIME) {
            return span(run.startedAt(), seconds);
        }
        Correlation ids = run.row().run().correlation();
        Object own = this == TRAIN_STEP ? ids.trainStep() : this == EPOCH ? ids.epoch() : ids.policyVersion();
        return own == null ? null : own.toString();
    }

    /**
     * Returns the place of reported numbers, of which one says how far training was; {@code null} where they have none.
     *
     * @param seconds that a span of time has
     */
    @Nullable
    String of(MetricsReported report, long seconds) {
        if (this == TIME) {
            return span(report.time(), seconds);
        }
        List<String> names =
                this == TRAIN_STEP ? List.of("train_step", "global_step", "step", "update") : List.of(field());
        return names.stream()
                .map(name -> report.values().getOrDefault(name, Double.NaN))
                .filter(Double::isFinite)
                .findFirst()
                .map(value -> String.valueOf((long) Math.floor(value)))
                .orElse(null);
    }

    private static String span(Instant time, long seconds) {
        return Instant.ofEpochSecond(Math.floorDiv(time.getEpochSecond(), seconds) * seconds)
                .toString();
    }

    /**
     * Returns how far to the right a place lies. Versions of a policy are as far from each other as their order says.
     *
     * @param number of the place in their order
     */
    double x(String place, int number) {
        return switch (this) {
            case TRAIN_STEP, EPOCH -> Double.parseDouble(place);
            case POLICY_VERSION -> number;
            case TIME -> Instant.parse(place).getEpochSecond();
        };
    }

    /** Returns how far it is to where a trend counts one: a step, an epoch, a version or an hour. */
    double unit() {
        return this == TIME ? Duration.ofHours(1).toSeconds() : 1;
    }

    /** Returns a place as programs read it. */
    Object value(String place) {
        return this == TRAIN_STEP || this == EPOCH ? Long.valueOf(place) : place;
    }

    /** Returns it as it is typed: {@code train-step}. */
    String option() {
        return field().replace('_', '-');
    }

    /** Returns it as records name it: {@code train_step}. */
    String field() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reads one as it is typed. */
    public static final class Converter extends WordConverter<Axis> {
        Converter() {
            super(List.of(values()), Axis::option);
        }
    }
}

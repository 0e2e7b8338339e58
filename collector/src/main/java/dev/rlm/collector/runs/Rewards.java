package dev.rlm.collector.runs;

import dev.rlm.collector.otlp.Attributes;
import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.schema.LateEvents;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Rewards as the attributes of {@code gen_ai.evaluation.result} tell them. */
final class Rewards {
    private static final String COMPONENT = "rlm.reward.component.";
    private static final String WEIGHT = "rlm.reward.weight.";
    private static final String UNIT = "rlm.reward.unit.";
    private static final String TEXT = ".text";

    private Rewards() {}

    /** @param message of the status of a span that it is; empty where it is an event */
    static RewardGiven given(RunInfo run, long seq, CallEvents.Position place, Attributes on, String message) {
        Double score = on.decimal(Names.EVALUATION_SCORE, Names.LIGHTNING_REWARD + "0.value");
        String source = on.text(Names.EVALUATION_NAME, Names.LIGHTNING_REWARD + "0.name");
        String explanation = on.text("gen_ai.evaluation.explanation");
        double value = score != null ? score : infinite(on, explanation);
        String why = message.isEmpty() ? explanation : message;
        String absence = !Double.isNaN(value) ? null : why == null ? "absent" : why;
        boolean explains = explanation != null && !explanation.equals(why);
        return RewardGivenBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(place.end())
                .step(place.step())
                .source(source == null || source.isBlank() ? "evaluation" : source)
                .value(value)
                .absence(absence)
                .components(components(on))
                .label(on.text("gen_ai.evaluation.score.label"))
                .explanation(score != null || explains ? OwnInfo.content(explanation) : null)
                .kind(kind(on.text("rlm.reward.kind")))
                .min(on.decimal("rlm.reward.min"))
                .max(on.decimal("rlm.reward.max"))
                .startNanos(place.start())
                .originalSpan(place.span())
                .build();
    }

    /** Returns the rewards of a run that were given after its end. Their numbers are those that spans say, else those of what comes late. */
    static List<RunEvent> late(String runId, RunEnd end, List<ReceivedSpan> spans) {
        OwnSpanIds ids = new OwnSpanIds(runId);
        List<ReceivedSpan> ordered = spans.stream()
                .sorted(Comparator.comparingLong((ReceivedSpan span) -> ids.seq(span.id()))
                        .thenComparingLong(ReceivedSpan::end)
                        .thenComparing(ReceivedSpan::id))
                .toList();
        List<RunEvent> rewards = new ArrayList<>();
        for (ReceivedSpan span : ordered) {
            RunInfo run = RunInfoBuilder.builder(OwnInfo.of(runId, span))
                    .startedAt(OwnInfo.instant(end.start()))
                    .parent(OwnInfo.trace(span))
                    .build();
            CallEvents.Position place = new CallEvents.Position(
                    span.attributes().count(Names.STEP),
                    0,
                    Math.max(0, span.start() - end.start()),
                    span.end() - end.start(),
                    null);
            long said = ids.seq(span.id());
            RewardGiven reward = given(run, Math.max(1, said), place, span.attributes(), span.message());
            rewards.add(
                    said > 0
                            ? reward
                            : RewardGivenBuilder.builder(reward)
                                    .seq(LateEvents.seq(reward))
                                    .build());
        }
        return rewards;
    }

    private static double infinite(Attributes on, @Nullable String explanation) {
        return "infinite".equals(on.text(Names.ERROR_TYPE))
                ? "-Infinity".equals(explanation) ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY
                : Double.NaN;
    }

    private static RewardGiven.@Nullable Kind kind(@Nullable String word) {
        for (RewardGiven.Kind each : RewardGiven.Kind.values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(word)) {
                return each;
            }
        }
        return null;
    }

    private static List<RewardComponent> components(Attributes on) {
        Map<String, Object> values = on.below(COMPONENT);
        TreeSet<String> names = new TreeSet<>();
        values.keySet()
                .forEach(name ->
                        names.add(name.endsWith(TEXT) ? name.substring(0, name.length() - TEXT.length()) : name));
        List<RewardComponent> components = new ArrayList<>();
        for (String name : names) {
            if (!name.isBlank()) {
                components.add(new RewardComponent(
                        name, number(on, COMPONENT + name, 0), number(on, WEIGHT + name, 1), on.text(UNIT + name)));
            }
        }
        for (int i = 0; on.has(Names.LIGHTNING_REWARD + "1.value") && on.has(lightning(i, "value")); i++) {
            String name = on.text(lightning(i, "name"));
            double value = number(on, lightning(i, "value"), Double.NaN);
            components.add(new RewardComponent(name == null ? "" + i : name, value, i == 0 ? 1 : 0, null));
        }
        return components;
    }

    private static String lightning(int number, String field) {
        return Names.LIGHTNING_REWARD + number + "." + field;
    }

    private static double number(Attributes on, String name, double absent) {
        Double finite = on.decimal(name);
        String text = on.text(name + TEXT);
        if (finite != null || text == null) {
            return finite == null ? absent : finite;
        }
        return switch (text) {
            case "Infinity" -> Double.POSITIVE_INFINITY;
            case "-Infinity" -> Double.NEGATIVE_INFINITY;
            default -> Double.NaN;
        };
    }
}

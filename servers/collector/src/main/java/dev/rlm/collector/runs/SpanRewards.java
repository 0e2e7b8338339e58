package dev.rlm.collector.runs;

import dev.rlm.collector.otlp.Attributes;
import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.sinks.event.Content;
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
import org.jspecify.annotations.Nullable;

/** Rewards as the attributes of {@code gen_ai.evaluation.result} tell them. */
final class SpanRewards {
    private SpanRewards() {}

    /** @param message of the status of a span that it is; empty where it is an event */
    static RewardGiven given(RunInfo run, long seq, CallEvents.Position place, Attributes on, String message) {
        Double score = on.decimal(AttributeNames.EVALUATION_SCORE, AttributeNames.LIGHTNING_REWARD + "0.value");
        String source = on.text(AttributeNames.EVALUATION_NAME, AttributeNames.LIGHTNING_REWARD + "0.name");
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
                .explanation(score != null || explains ? CallFields.content(explanation) : null)
                .startNanos(place.start())
                .originalSpan(place.span())
                .build();
    }

    /** Returns the rewards of a run that were given after its end. */
    static List<RunEvent> late(String runId, RunTimes times, List<ReceivedSpan> spans) {
        List<ReceivedSpan> ordered = spans.stream()
                .sorted(Comparator.comparingLong(ReceivedSpan::end).thenComparing(ReceivedSpan::id))
                .toList();
        List<RunEvent> rewards = new ArrayList<>();
        for (ReceivedSpan span : ordered) {
            RunInfo run = RunInfoBuilder.builder()
                    .runId(runId)
                    .startedAt(RunTimes.instant(times.start()))
                    .task(Content.EMPTY)
                    .environment(span.service())
                    .model("")
                    .agent(span.attributes().text(AttributeNames.AGENT))
                    .agentVersion(span.attributes().text(AttributeNames.AGENT_VERSION))
                    .parent(Traces.context(span))
                    .build();
            CallEvents.Position place = new CallEvents.Position(
                    RunEvent.NO_STEP, 0, Math.max(0, span.start() - times.start()), span.end() - times.start(), null);
            RewardGiven reward = given(run, 1, place, span.attributes(), span.message());
            rewards.add(RewardGivenBuilder.builder(reward)
                    .seq(LateEvents.seq(reward))
                    .build());
        }
        return rewards;
    }

    private static List<RewardComponent> components(Attributes on) {
        List<RewardComponent> components = new ArrayList<>();
        for (int i = 0; on.has(AttributeNames.LIGHTNING_REWARD + "1.value") && on.has(lightning(i, "value")); i++) {
            String name = on.text(lightning(i, "name"));
            Double value = on.decimal(lightning(i, "value"));
            components.add(new RewardComponent(
                    name == null ? "" + i : name, value == null ? Double.NaN : value, i == 0 ? 1 : 0, null));
        }
        return components;
    }

    /** No score of OTLP's JSON is infinite, so that the kind of an error says it. */
    private static double infinite(Attributes on, @Nullable String explanation) {
        return "infinite".equals(on.text(AttributeNames.ERROR_TYPE))
                ? "-Infinity".equals(explanation) ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY
                : Double.NaN;
    }

    private static String lightning(int number, String field) {
        return AttributeNames.LIGHTNING_REWARD + number + "." + field;
    }
}

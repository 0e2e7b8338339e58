package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.schema.EventField;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import org.jspecify.annotations.Nullable;

/** Mapping of a reward to an event on the span of the step or run that it was given to, or to a span of its own. */
public final class RewardMapping {
    public static final String SPAN_NAME = "rlm.reward";

    private final ContentCapture capture;

    public RewardMapping(ContentCapture capture) {
        this.capture = capture;
    }

    /** The event {@code gen_ai.evaluation.result}. */
    public Attributes event(RewardGiven reward) {
        AttributesBuilder attributes =
                Attributes.builder().put(GenAi.EVALUATION_NAME, TextLimits.name(reward.source()));
        if (Double.isFinite(reward.value())) {
            attributes.put(GenAi.EVALUATION_SCORE, reward.value());
        } else {
            attributes.put(Names.ERROR_TYPE, kind(reward));
            String why = why(reward);
            if (!why.isEmpty()) {
                attributes.put(GenAi.EVALUATION_EXPLANATION, why);
            }
        }
        details(attributes, reward);
        reward.components().forEach(component -> component(attributes, component));
        return attributes.build();
    }

    private void details(AttributesBuilder attributes, RewardGiven reward) {
        SpanAttributes fields = SpanAttributes.of(attributes).set(GenAi.EVALUATION_LABEL, reward.label());
        String explanation =
                reward.explanation() == null ? "" : capture.beginning(reward.explanation(), RunMapping.TEXT_CHARACTERS);
        if (!explanation.isEmpty()) { // no more than its beginning: a span may have a hundred rewards
            fields.text(GenAi.EVALUATION_EXPLANATION, explanation);
        }
        fields.set(Names.REWARD_KIND, reward.kind() == null ? null : EventField.word(reward.kind()));
        bound(fields, Names.REWARD_MIN, reward.min());
        bound(fields, Names.REWARD_MAX, reward.max());
        if (reward.isOutOfRange()) {
            fields.set(Names.REWARD_OUT_OF_RANGE, true);
        }
    }

    /** An infinite one says no more than none. */
    private static void bound(SpanAttributes fields, AttributeKey<Double> key, @Nullable Double bound) {
        if (bound != null && Double.isFinite(bound)) {
            fields.put(key, bound);
        }
    }

    /** The span {@code rlm.reward}, which has all that the event has. */
    public void span(Span span, RewardGiven reward) {
        RunMapping.identity(SpanAttributes.of(span), reward);
        span.setAllAttributes(event(reward));
        if (Double.isFinite(reward.value())) {
            span.setAttribute(Names.REWARD, reward.value());
            span.setStatus(StatusCode.OK);
        } else {
            span.setStatus(StatusCode.ERROR, why(reward));
        }
    }

    /** Returns the reason why a reward is in no sum: {@code absent} or {@code infinite}. */
    public static String kind(RewardGiven reward) {
        return reward.isAbsent() ? "absent" : "infinite";
    }

    private String why(RewardGiven reward) {
        return reward.absence() == null
                ? Double.toString(reward.value())
                : capture.error(Content.redacted(reward.absence()));
    }

    private static void component(AttributesBuilder attributes, RewardComponent component) {
        String name = Content.wellFormed(component.name());
        number(attributes, Names.REWARD_COMPONENT + name, component.value());
        number(attributes, Names.REWARD_WEIGHT + name, component.weight());
        if (component.unit() != null) {
            attributes.put(Names.REWARD_UNIT + name, TextLimits.name(component.unit()));
        }
    }

    /** A number that is not finite as its text, under another name: an attribute has one type. */
    private static void number(AttributesBuilder attributes, String name, double value) {
        if (Double.isFinite(value)) {
            attributes.put(AttributeKey.doubleKey(name), value);
        } else {
            attributes.put(name + ".text", Double.toString(value));
        }
    }
}

package dev.rlm.sinks.otel;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Queue;

/** A span that has started and not ended, and the number of events that it stands for. Used on the lane only. */
abstract class OpenSpan {
    // A span keeps 128 events. The last rewards tell more than those in the middle, and the end adds up to four more.
    private static final int FIRST_REWARDS = 60;
    private static final int LAST_REWARDS = 60;

    private final Queue<RewardEvent> lastRewards = new ArrayDeque<>();
    private int rewards;
    private int events;
    private boolean described;

    /** The span itself; the first call may start it. */
    abstract Span span();

    /** When it started. */
    abstract Instant startedAt();

    /** Counts one more event that the span stands for. */
    void count() {
        events++;
    }

    int events() {
        return events;
    }

    /** Whether this is the first call: it is time to describe what the span stands for. */
    boolean isNew() {
        boolean first = !described;
        described = true;
        return first;
    }

    /** Whether {@link #isNew} has been asked. */
    boolean isDescribed() {
        return described;
    }

    /** Adds a reward to the span's events: the first ones at once, of the others the last ones in the end. */
    void addReward(Attributes attributes, Instant time) {
        if (rewards++ < FIRST_REWARDS) {
            span().addEvent(GenAi.EVENT_EVALUATION, attributes, time);
            return;
        }
        if (lastRewards.size() == LAST_REWARDS) {
            lastRewards.remove();
        }
        lastRewards.add(new RewardEvent(attributes, time));
    }

    /** Adds what was held back; called before the events of the span's end. */
    void addLastRewards() {
        lastRewards.forEach(reward -> span().addEvent(GenAi.EVENT_EVALUATION, reward.attributes(), reward.time()));
        int leftOut = rewards - FIRST_REWARDS - lastRewards.size();
        if (leftOut > 0) {
            span().setAttribute(Names.REWARDS_LEFT_OUT, (long) leftOut);
        }
        lastRewards.clear();
    }

    private record RewardEvent(Attributes attributes, Instant time) {}
}

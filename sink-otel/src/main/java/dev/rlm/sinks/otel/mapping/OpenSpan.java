package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.event.StepStarted;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A span of a run, a step or work that has started and not ended, and the number of events that it stands for. On the lane only.
 */
public final class OpenSpan {
    // A span keeps 128 events. The last rewards tell more than those in the middle, and the end adds up to four more.
    private static final int FIRST = 60; // rewards and files
    private static final int LAST_REWARDS = 60;

    private final Span span;
    private final Instant startedAt;
    private final @Nullable StepStarted step;
    private @Nullable String tool;
    private @Nullable Queue<RewardEvent> lastRewards; // of the few spans that have so many
    private int first; // rewards and files that were added at once
    private int laterRewards;
    private long filesLeftOut;
    private int events;
    private boolean described;

    /** @param step whose span it is; {@code null} where it is no step's */
    public OpenSpan(Span span, Instant startedAt, @Nullable StepStarted step) {
        this.span = span;
        this.startedAt = startedAt;
        this.step = step;
    }

    public Span span() {
        return span;
    }

    public Instant startedAt() {
        return startedAt;
    }

    /** The start of the step; {@code null} where it is no step's. */
    public @Nullable StepStarted step() {
        return step;
    }

    /** Notes that a tool is called in it. */
    public void called(String name) {
        tool = tool == null ? name : tool;
    }

    /** The first tool that was called in it. */
    @Nullable
    String tool() {
        return tool;
    }

    /** Counts so many more events that the span stands for. */
    public void count(int more) {
        events += more;
    }

    public int events() {
        return events;
    }

    /** Returns whether this is the first call, after which the caller describes the span. */
    public boolean isNew() {
        boolean first = !described;
        described = true;
        return first;
    }

    /** Returns whether {@link #isNew} has been called. */
    public boolean isDescribed() {
        return described;
    }

    /** Adds a reward to the span's events: the first ones at once, of the others the last ones in the end. */
    public void addReward(Attributes attributes, Instant time) {
        if (isAmongFirst()) {
            span.addEvent(GenAi.EVENT_EVALUATION, attributes, time);
            return;
        }
        laterRewards++;
        Queue<RewardEvent> last = lastRewards == null ? new ArrayDeque<>() : lastRewards;
        lastRewards = last;
        if (last.size() == LAST_REWARDS) {
            last.remove();
        }
        last.add(new RewardEvent(attributes, time));
    }

    private boolean isAmongFirst() {
        boolean room = first < FIRST;
        first += room ? 1 : 0;
        return room;
    }

    /** Adds a file to the span's events, or counts it where they are many. */
    public void addArtifact(Attributes attributes, Instant time) {
        if (isAmongFirst()) {
            span.addEvent(Names.EVENT_ARTIFACT, attributes, time);
        } else {
            span.setAttribute(Names.ARTIFACTS_LEFT_OUT, ++filesLeftOut);
        }
    }

    /** Adds what was held back; called before the events of the span's end. */
    public void addLastRewards() {
        Queue<RewardEvent> last = lastRewards;
        if (last == null) {
            return;
        }
        last.forEach(reward -> span.addEvent(GenAi.EVENT_EVALUATION, reward.attributes(), reward.time()));
        int leftOut = laterRewards - last.size();
        if (leftOut > 0) {
            span.setAttribute(Names.REWARDS_LEFT_OUT, (long) leftOut);
        }
        last.clear();
    }

    private record RewardEvent(Attributes attributes, Instant time) {}
}

package dev.rlm.runs;

import dev.rlm.runs.TreeView.StepNode;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.ToolCalled;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Steps and events in one place of a run, by number. Events that name a span or a reward as their parent lie under it. */
final class Nesting {
    private final List<Object> outermost = new ArrayList<>();
    private final Map<Long, List<RunEvent>> inside = new HashMap<>();

    private Nesting() {}

    static Nesting of(List<?> all) {
        Nesting nesting = new Nesting();
        Set<Long> works = new HashSet<>();
        all.stream().sorted(Comparator.comparingLong(Nesting::seq)).forEach(one -> {
            boolean isInside = one instanceof RunEvent event && works.contains(around(event));
            if (isInside && one instanceof RunEvent event) {
                nesting.inside
                        .computeIfAbsent(around(event), seq -> new ArrayList<>())
                        .add(event);
            } else {
                nesting.outermost.add(one);
            }
            if (isWork(one)) {
                works.add(seq(one));
            }
        });
        return nesting;
    }

    private static long seq(Object one) {
        return one instanceof StepNode step ? step.start.seq() : ((RunEvent) one).seq();
    }

    /** Returns whether it can be the parent of other events: a span, or the computation of a reward. */
    static boolean isWork(Object one) {
        return one instanceof SpanRecorded || one instanceof RewardGiven;
    }

    /** Returns the number of the event's parent; 0 if it names none. */
    static long around(RunEvent event) {
        if (event instanceof SpanRecorded span) {
            return span.parentSeq();
        } else if (event instanceof ModelCalled call) {
            return call.parentSeq();
        }
        return event instanceof ToolCalled call ? call.parentSeq() : 0;
    }

    /** Returns the steps, and the events that lie under no other of these. */
    List<Object> outermost() {
        return outermost;
    }

    List<RunEvent> in(RunEvent event) {
        return inside.getOrDefault(event.seq(), List.of());
    }
}

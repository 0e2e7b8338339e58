package dev.rlm.runs.report.phases;

import dev.rlm.sinks.event.RunEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A run's time, gone through once. Each moment belongs to what goes on then and has nothing going on within it; where
 * there are several such, they share it evenly; where there is nothing, it belongs to {@link PhaseKey.Kind#OTHER}. So the
 * parts make up the run's time, however much of it was nested or parallel.
 *
 * <p>An interval lies in what it names. A step, a call or a reward that names nothing lies in the shortest span of the same
 * step, or run, that holds it in time, else in its step.
 */
final class Timeline {
    private static final Comparator<Interval> ORDER =
            Comparator.comparingLong(Interval::start).thenComparingLong(Interval::seq);

    private final Map<PhaseKey, Part> parts = new TreeMap<>();
    private final Map<Long, Going> bySeq = new HashMap<>();
    private final Map<Integer, Going> steps = new HashMap<>();
    private final Map<Integer, List<Going>> spans = new HashMap<>();
    private final PriorityQueue<Going> ends =
            new PriorityQueue<>(Comparator.comparingLong(going -> going.interval.end()));
    private final Part other = part(PhaseKey.of(PhaseKey.Kind.OTHER));
    private long now;
    private double clock; // what each of those that share the time has got since the run's start
    private int sharing;

    private Timeline() {}

    /** Returns the time of each kind of work in a run of so many nanoseconds. */
    static Map<PhaseKey, Part> of(List<Interval> intervals, long nanos) {
        Timeline timeline = new Timeline();
        intervals.stream().sorted(ORDER).forEach(timeline::begin);
        timeline.endUntil(nanos);
        timeline.goTo(nanos);
        return timeline.parts;
    }

    private Part part(PhaseKey key) {
        return parts.computeIfAbsent(key, unknown -> new Part());
    }

    private void begin(Interval interval) {
        endUntil(interval.start());
        goTo(interval.start());
        Going going = new Going(interval, around(interval), part(interval.key()));
        if (going.around != null && going.around.inside++ == 0) {
            yields(going.around);
        }
        takes(going);
        going.part.begin(now);
        ends.add(going);
        bySeq.put(interval.seq(), going);
        if (interval.step() != RunEvent.NO_STEP) {
            steps.put(interval.step(), going);
        }
        if (interval.isSpan()) {
            spans.computeIfAbsent(interval.place(), place -> new ArrayList<>()).add(going);
        }
    }

    private void end(Going going) {
        if (going.inside == 0) {
            yields(going);
        }
        going.part.end(now);
        going.over = true;
        if (going.interval.isSpan()) {
            spans.getOrDefault(going.interval.place(), List.of()).remove(going);
        }
        if (going.around != null && --going.around.inside == 0 && !going.around.over) {
            takes(going.around);
        }
    }

    private void takes(Going going) {
        going.since = clock;
        sharing++;
    }

    private void yields(Going going) {
        going.part.own += clock - going.since;
        sharing--;
    }

    private void endUntil(long time) {
        for (Going next = ends.peek(); next != null && next.interval.end() <= time; next = ends.peek()) {
            goTo(next.interval.end());
            ends.remove();
            end(next);
        }
    }

    private void goTo(long time) {
        if (sharing > 0) {
            clock += (double) (time - now) / sharing;
        } else {
            other.own += time - now;
        }
        now = time;
    }

    private @Nullable Going around(Interval interval) {
        Going named = bySeq.get(interval.parentSeq());
        if (named == null && !interval.isSpan()) {
            named = spans.getOrDefault(interval.place(), List.of()).stream()
                    .filter(span -> span.interval.end() >= interval.end())
                    .min(Comparator.comparingLong(span -> span.interval.nanos()))
                    .orElse(null);
        }
        Going around = named == null ? steps.get(interval.place()) : named;
        return around == null || around.over ? null : around;
    }

    /** An interval that has begun. */
    private static final class Going {
        private final Interval interval;
        private final @Nullable Going around;
        private final Part part;
        private int inside;
        private double since;
        private boolean over;

        Going(Interval interval, @Nullable Going around, Part part) {
            this.interval = interval;
            this.around = around;
            this.part = part;
        }
    }

    /** Part of a run's time that intervals of one kind have. */
    static final class Part {
        private double own;
        private long covered;
        private long since;
        private int open;

        private void begin(long now) {
            since = open++ == 0 ? now : since;
        }

        private void end(long now) {
            covered += --open == 0 ? now - since : 0;
        }

        /** Returns the nanoseconds that belong to them. */
        double own() {
            return own;
        }

        /** Returns the nanoseconds in which at least one of them went on. */
        long covered() {
            return covered;
        }
    }
}

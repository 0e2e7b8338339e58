package dev.rlm.journal.report;

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
 * <p>A stretch lies in what it names. A step, a call or a reward that names nothing lies in the shortest span of the same
 * step, or run, that holds it in time, else in its step.
 */
final class Timeline {
    private static final Comparator<Stretch> ORDER =
            Comparator.comparingLong(Stretch::start).thenComparingLong(Stretch::seq);

    private final Map<PhaseKey, Part> parts = new TreeMap<>();
    private final Map<Long, Going> bySeq = new HashMap<>();
    private final Map<Integer, Going> steps = new HashMap<>();
    private final Map<Integer, List<Going>> spans = new HashMap<>();
    private final PriorityQueue<Going> ends =
            new PriorityQueue<>(Comparator.comparingLong(going -> going.stretch.end()));
    private final Part other = part(PhaseKey.of(PhaseKey.Kind.OTHER));
    private long now;
    private double clock; // what each of those that share the time has got since the run's start
    private int sharing;

    private Timeline() {}

    /** Returns the time of each kind of work in a run of so many nanoseconds. */
    static Map<PhaseKey, Part> of(List<Stretch> stretches, long nanos) {
        Timeline timeline = new Timeline();
        stretches.stream().sorted(ORDER).forEach(timeline::begin);
        timeline.endUntil(nanos);
        timeline.goTo(nanos);
        return timeline.parts;
    }

    private Part part(PhaseKey key) {
        return parts.computeIfAbsent(key, unknown -> new Part());
    }

    private void begin(Stretch stretch) {
        endUntil(stretch.start());
        goTo(stretch.start());
        Going going = new Going(stretch, around(stretch), part(stretch.key()));
        if (going.around != null && going.around.inside++ == 0) {
            yields(going.around);
        }
        takes(going);
        going.part.begin(now);
        ends.add(going);
        bySeq.put(stretch.seq(), going);
        if (stretch.step() != RunEvent.NO_STEP) {
            steps.put(stretch.step(), going);
        }
        if (stretch.isSpan()) {
            spans.computeIfAbsent(stretch.place(), place -> new ArrayList<>()).add(going);
        }
    }

    private void end(Going going) {
        if (going.inside == 0) {
            yields(going);
        }
        going.part.end(now);
        going.over = true;
        if (going.stretch.isSpan()) {
            spans.getOrDefault(going.stretch.place(), List.of()).remove(going);
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
        for (Going next = ends.peek(); next != null && next.stretch.end() <= time; next = ends.peek()) {
            goTo(next.stretch.end());
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

    private @Nullable Going around(Stretch stretch) {
        Going named = bySeq.get(stretch.parentSeq());
        if (named == null && !stretch.isSpan()) {
            named = spans.getOrDefault(stretch.place(), List.of()).stream()
                    .filter(span -> span.stretch.end() >= stretch.end())
                    .min(Comparator.comparingLong(span -> span.stretch.nanos()))
                    .orElse(null);
        }
        Going around = named == null ? steps.get(stretch.place()) : named;
        return around == null || around.over ? null : around;
    }

    /** A stretch that has begun. */
    private static final class Going {
        private final Stretch stretch;
        private final @Nullable Going around;
        private final Part part;
        private int inside;
        private double since;
        private boolean over;

        Going(Stretch stretch, @Nullable Going around, Part part) {
            this.stretch = stretch;
            this.around = around;
            this.part = part;
        }
    }

    /** Part of a run's time that stretches of one kind have. */
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

package dev.rlm.collector;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Runs of which spans have come: those that go on, and which spans those had that have ended. Only ids and places are in
 * memory. Safe for use by several threads.
 */
final class OpenTraces {
    private static final int SPAN_SIZE = 160; // bytes of the heap for a span's id and place

    private final Map<String, OpenTrace> open = new HashMap<>();
    private final Map<String, OpenTrace> ended = new LinkedHashMap<>(); // the one that ended last at the end
    private final Set<String> earlier;
    private final Limits limits;
    private final int maxSpans;
    private int openSpans;
    private int endedSpans;

    /**
     * Times and sizes.
     *
     * @param quiet how long nothing has come of a run that has its last span, until it ends
     * @param idle the same of one that has not
     * @param maxBytes of a run's spans, after which it is cut
     */
    record Limits(Duration quiet, Duration idle, long maxBytes) {}

    /** @param earlier the runs that have ended of which no span is known any more; it grows */
    OpenTraces(Limits limits, long heap, Set<String> earlier) {
        this.limits = limits;
        this.earlier = earlier;
        this.maxSpans = (int) Math.min(Integer.MAX_VALUE, heap / 8 / SPAN_SIZE);
    }

    /** Returns whether so many spans more can be known. */
    synchronized boolean hasRoom(int spans) {
        return openSpans + spans <= maxSpans;
    }

    /** Returns whether that span has come before, or its run has ended so long ago that this is not known. */
    synchronized boolean has(String runId, long spanId) {
        OpenTrace trace = open.getOrDefault(runId, ended.get(runId));
        return trace == null ? earlier.contains(runId) : trace.ids.contains(spanId);
    }

    /** Adds a span that has been synced, unless it has come before. */
    synchronized void add(String runId, long spanId, boolean isRoot, Spool.Place place) {
        OpenTrace trace = open.get(runId);
        if (trace == null) {
            OpenTrace before = ended.remove(runId);
            endedSpans -= before == null ? 0 : before.ids.size();
            openSpans += before == null ? 0 : before.ids.size();
            trace = before == null ? new OpenTrace(runId) : before.next();
            open.put(runId, trace);
        }
        if (trace.ids.add(spanId)) {
            openSpans++;
            trace.places.add(place);
            trace.bytes += place.length();
            trace.rootCame |= isRoot;
            trace.heardAt = System.nanoTime();
        }
    }

    /** Returns the runs that are to end now. */
    synchronized List<OpenTrace> due() {
        long now = System.nanoTime();
        return open.values().stream()
                .filter(trace -> trace.bytes > limits.maxBytes()
                        || now - trace.heardAt > patience(trace).toNanos())
                .toList();
    }

    private Duration patience(OpenTrace trace) {
        return trace.rootCame ? limits.quiet() : limits.idle();
    }

    /** Returns the runs whose last span has come, whether it has been quiet since or not. */
    synchronized List<OpenTrace> whole() {
        return open.values().stream().filter(trace -> trace.rootCame).toList();
    }

    /** Returns how many go on. */
    synchronized int size() {
        return open.size();
    }

    /** Takes the spans that a run has so far. Those that come later are a part of their own. */
    synchronized List<Spool.Place> take(OpenTrace trace) {
        open.remove(trace.runId, trace);
        openSpans -= trace.ids.size();
        ended.put(trace.runId, trace);
        endedSpans += trace.ids.size();
        forget();
        return List.copyOf(trace.places);
    }

    /** Undoes a {@link #take}, for a time that the run waits again. */
    synchronized void putBack(OpenTrace trace) {
        OpenTrace later = open.get(trace.runId);
        if (later == null && ended.remove(trace.runId, trace)) {
            endedSpans -= trace.ids.size();
            openSpans += trace.ids.size();
            open.put(trace.runId, trace);
        } else if (later != null) {
            later.places.addAll(0, trace.places);
            later.part = trace.part;
            later.rootCame |= trace.rootCame;
        }
        trace.heardAt = System.nanoTime();
    }

    /** Its spans are in a run: only their ids are known from now on. */
    synchronized void done(OpenTrace trace) {
        trace.places.clear();
        trace.bytes = 0;
    }

    /** Takes note that an earlier process has made a run of what came of it so far. */
    synchronized void wasDone(String runId) {
        OpenTrace trace = open.get(runId);
        if (trace != null) {
            var unused = take(trace);
            done(trace);
        }
    }

    private void forget() {
        Iterator<OpenTrace> eldest = ended.values().iterator();
        while (endedSpans > maxSpans && eldest.hasNext()) {
            OpenTrace trace = eldest.next();
            if (trace.places.isEmpty()) {
                endedSpans -= trace.ids.size();
                earlier.add(trace.runId);
                eldest.remove();
            }
        }
    }

    /** Returns the files in which there are spans that are in no run yet. */
    synchronized Set<Integer> files() {
        List<OpenTrace> all = new ArrayList<>(open.values());
        all.addAll(ended.values());
        return all.stream()
                .flatMap(trace -> trace.places.stream())
                .map(Spool.Place::file)
                .collect(Collectors.toSet());
    }

    /** Spans of a run, or of its part. */
    static final class OpenTrace {
        private final String runId;
        private final Set<Long> ids;
        private final List<Spool.Place> places = new ArrayList<>();
        private int part = 1;
        private long bytes;
        private boolean rootCame;
        private volatile long heardAt = System.nanoTime();

        private OpenTrace(String runId) {
            this(runId, new HashSet<>());
        }

        private OpenTrace(String runId, Set<Long> ids) {
            this.runId = runId;
            this.ids = ids;
        }

        private OpenTrace next() {
            OpenTrace next = new OpenTrace(runId, ids);
            next.part = part + 1;
            next.rootCame = rootCame;
            return next;
        }

        String runId() {
            return runId;
        }

        /** Returns 1 for the run itself; more for what came after its end. */
        int part() {
            return part;
        }
    }
}

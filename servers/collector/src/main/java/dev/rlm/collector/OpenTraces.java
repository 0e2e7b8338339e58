package dev.rlm.collector;

import dev.rlm.collector.EndedRuns.Claim;
import dev.rlm.collector.EndedRuns.Ended;
import dev.rlm.collector.otlp.AgentLog;
import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.collector.runs.RunTimes;
import dev.rlm.collector.runs.Traces;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Traces of which spans have come and that are in no run yet. Only ids and places are in memory. Safe for use by several
 * threads.
 */
final class OpenTraces {
    private static final int SPAN_SIZE = 160; // bytes of the heap for a span's id and place

    private final Map<String, OpenTrace> open = new HashMap<>();
    private final Map<String, OpenTrace> waiting = new LinkedHashMap<>(); // nothing ends them but more of them
    private final EndedRuns ended;
    private final Limits limits;
    private final int maxSpans;
    private final Map<String, OpenTrace> ending = new HashMap<>(); // taken, and neither done nor put back
    private int openSpans;
    private int waitingSpans;

    /**
     * Times and sizes.
     *
     * @param quiet how long nothing has come of a run that has its last span, until it ends
     * @param idle the same of one that has not
     * @param maxBytes of a run's spans, after which it is cut
     */
    record Limits(Duration quiet, Duration idle, long maxBytes) {}

    OpenTraces(Limits limits, long heap, EndedRuns ended) {
        this.limits = limits;
        this.ended = ended;
        this.maxSpans = (int) Math.min(Integer.MAX_VALUE, heap / 8 / SPAN_SIZE);
    }

    /** Returns whether so many spans more can be known. */
    synchronized boolean hasRoom(int spans) {
        return openSpans + spans <= maxSpans;
    }

    private static long idOf(ReceivedSpan span) {
        return Long.parseUnsignedLong(span.id(), 16);
    }

    /** Returns whether that span has come before. */
    synchronized boolean has(ReceivedSpan span) throws IOException {
        String runId = span.trace();
        long spanId = idOf(span);
        OpenTrace trace = open.getOrDefault(runId, waiting.get(runId));
        if (trace == null) {
            trace = ending.get(runId);
        }
        if (trace != null) {
            return trace.has(spanId);
        }
        return ended.find(runId).spans().contains(spanId);
    }

    /** Adds a span that has been synced, unless it has come before. */
    synchronized void add(ReceivedSpan span, Spool.Position place) throws IOException {
        String runId = span.trace();
        long spanId = idOf(span);
        OpenTrace trace = open.get(runId);
        if (trace == null) {
            trace = reopened(runId);
            openSpans += trace.size();
            open.put(runId, trace);
        }
        if (!trace.has(spanId)) {
            trace.ids.add(spanId);
            openSpans++;
            trace.places.add(place);
            trace.bytes += place.length();
            trace.rootCame = (trace.rootCame || Traces.isRoot(span)) && !AgentLog.isOfSession(span);
            trace.heardAt = System.nanoTime();
        }
    }

    private OpenTrace reopened(String runId) throws IOException {
        OpenTrace waited = waiting.remove(runId);
        OpenTrace taken = ending.get(runId);
        if (waited != null) {
            waitingSpans -= waited.size();
            return waited;
        } else if (taken != null) {
            return taken.next();
        }
        Ended before = ended.find(runId);
        return new OpenTrace(runId, before.spans(), before.parts() > 0);
    }

    /** Returns the runs that are to end now. */
    synchronized List<OpenTrace> due() {
        long now = System.nanoTime();
        return open.values().stream()
                .filter(trace -> isTooLong(trace)
                        || now - trace.heardAt > patience(trace).toNanos())
                .toList();
    }

    private Duration patience(OpenTrace trace) {
        return trace.rootCame ? limits.quiet() : limits.idle();
    }

    /** Returns whether a trace is to be cut, whatever comes of it. */
    synchronized boolean isTooLong(OpenTrace trace) {
        return trace.bytes > limits.maxBytes();
    }

    /** Returns the runs whose last span has come, whether it has been quiet since or not. */
    synchronized List<OpenTrace> whole() {
        return open.values().stream().filter(trace -> trace.rootCame).toList();
    }

    /** Returns all runs that go on. */
    synchronized List<OpenTrace> all() {
        return List.copyOf(open.values());
    }

    /** Returns how many go on. */
    synchronized int size() {
        return open.size();
    }

    /**
     * Takes the spans that a run has so far, and makes sure that no other collector makes the part of it that they are. Those that come
     * before it is done or put back are a part of their own.
     *
     * @throws IOException where that cannot be made sure of; then nothing has changed
     */
    synchronized List<Spool.Position> take(OpenTrace trace) throws IOException {
        trace.claim = ended.claim(trace.runId, trace.ids);
        open.remove(trace.runId, trace);
        openSpans -= trace.size();
        ending.put(trace.runId, trace);
        return List.copyOf(trace.places);
    }

    /** Undoes a {@link #take}, for a time that the run waits again. */
    synchronized void putBack(OpenTrace trace) {
        OpenTrace later = open.remove(trace.runId);
        if (later != null) {
            openSpans -= later.size();
            trace.add(later);
        }
        ending.remove(trace.runId);
        openSpans += trace.size();
        open.put(trace.runId, trace);
        trace.heardAt = System.nanoTime();
    }

    /**
     * Lets a taken trace wait for spans that make a run of it, after which it is taken whole.
     *
     * @param forEver whether its spans are kept however long that takes
     * @return whether it did not wait before
     */
    synchronized boolean await(OpenTrace trace, boolean forEver) {
        try {
            ended.release(trace.runId, trace.claim());
        } catch (IOException e) {
            // then it has the same part when it is taken again
        }
        OpenTrace later = open.get(trace.runId);
        putBack(trace);
        boolean first = !trace.waited;
        trace.waited = true;
        trace.forEver = forEver;
        if (later == null) {
            open.remove(trace.runId);
            openSpans -= trace.size();
            waiting.put(trace.runId, trace);
            waitingSpans += trace.size();
            forget(Long.MAX_VALUE);
        }
        return first;
    }

    /** Takes note that the spans that were taken are in these events. */
    synchronized void done(OpenTrace trace, List<RunEvent> events) throws IOException {
        boolean made = events.stream().anyMatch(RunStarted.class::isInstance);
        ended.add(
                trace.runId,
                trace.claim().part(),
                made,
                trace.ids,
                RunTimes.of(trace.runId, events, trace.claim().times()));
        ending.remove(trace.runId);
    }

    /** Forgets the traces that have waited for that long, and those that waited longest where they are too many. */
    synchronized void forget(long nanos) {
        long now = System.nanoTime();
        Iterator<OpenTrace> eldest = waiting.values().iterator();
        while (eldest.hasNext()) {
            OpenTrace trace = eldest.next();
            if (!trace.forEver && (waitingSpans > maxSpans || now - trace.heardAt > nanos)) {
                waitingSpans -= trace.size();
                eldest.remove();
            }
        }
    }

    /** Returns the files in which there are spans that are in no run yet. */
    synchronized Set<Integer> files() {
        List<OpenTrace> all = new ArrayList<>(open.values());
        all.addAll(waiting.values());
        all.addAll(ending.values());
        return all.stream()
                .flatMap(trace -> trace.places.stream())
                .map(Spool.Position::file)
                .collect(Collectors.toSet());
    }

    /** Spans of a run, or of its part. */
    static final class OpenTrace {
        private final String runId;
        private final Set<Long> before;
        private final Set<Long> ids = new HashSet<>();
        private final List<Spool.Position> places = new ArrayList<>();
        private @Nullable Claim claim;
        private long bytes;
        private boolean rootCame;
        private boolean waited;
        private boolean forEver;
        private volatile long heardAt = System.nanoTime();

        private OpenTrace(String runId, Set<Long> before, boolean rootCame) {
            this.runId = runId;
            this.before = before;
            this.rootCame = rootCame;
        }

        private OpenTrace next() {
            Set<Long> all = new HashSet<>(before);
            all.addAll(ids);
            return new OpenTrace(runId, all, rootCame);
        }

        private void add(OpenTrace later) {
            ids.addAll(later.ids);
            places.addAll(later.places);
            bytes += later.bytes;
            rootCame |= later.rootCame;
        }

        private boolean has(long spanId) {
            return ids.contains(spanId) || before.contains(spanId);
        }

        private int size() {
            return ids.size() + before.size();
        }

        String runId() {
            return runId;
        }

        /** Returns the length of its spans in the spool. */
        long bytes() {
            return bytes;
        }

        /** Returns which part it is, once it has been taken: 1 for the run itself; more for what came after its end. */
        Claim claim() {
            return Objects.requireNonNull(claim);
        }
    }
}

package dev.rlm.collector;

import dev.rlm.cli.Commits;
import dev.rlm.collector.EndedRuns.Claim;
import dev.rlm.collector.OpenTraces.OpenTrace;
import dev.rlm.collector.otlp.ExportRequest;
import dev.rlm.collector.otlp.ExportResponse;
import dev.rlm.collector.otlp.MalformedException;
import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.collector.otlp.Signal;
import dev.rlm.collector.runs.RunSettings;
import dev.rlm.collector.runs.Traces;
import dev.rlm.json.Json;
import dev.rlm.server.http.MemoryBudget;
import dev.rlm.server.http.RefusedException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * Takes requests, keeps their spans in the spool, and makes runs of them that all sinks get. Requests may come on several
 * threads; runs are made on one.
 */
final class Collector {
    private static final Logger LOG = LoggerFactory.getLogger(Collector.class);
    private static final String OWN =
            "a run of rlm is not made again of its spans: send its events, which tell all of it,"
                    + " with RLM_RECORD_ENABLED=true and RLM_RECORD_URL at this address";
    private static final Duration ROOM_PATIENCE = Duration.ofSeconds(30);
    private static final int MAX_SENDERS = 1_000; // of numbers of training
    private static final long TURN_SECONDS = 8; // senders wait ten, unless they are told otherwise
    private static final long LONG_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int LINE_FACTOR = 2; // what is held of a line until it is synced
    private static final int MAX_GROUP = 64; // runs that are published together
    private static final long MAX_GROUP_BYTES = 2 << 20; // of their spans in the spool
    private static final long CLEAN_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long KEEP_NANOS = TimeUnit.MINUTES.toNanos(15); // who sends again does so within minutes

    private final Sinks sinks;
    private final Commits commits;
    private final Spool spool;
    private final OpenTraces traces;
    private final RunSettings settings;
    private final BinaryOperator<String> redaction; // of the text of an entry, by its name
    private final int maxTree;
    // Computation alone: more at once would take as long together, and each of them so long that redaction gives a text
    // up.
    private final Turns reading = new Turns(Runtime.getRuntime().availableProcessors());
    private final CollectCounts counts = new CollectCounts();
    private final Map<String, MetricsReported> reported = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, MetricsReported> eldest) {
            return size() > MAX_SENDERS;
        }
    }; // by sender and category; of who has the turn to report
    private final Turns reporting = new Turns(1);
    private long cleanedAt = System.nanoTime();

    /** Goes on with what is in the spool. */
    Collector(Sinks sinks, Commits commits, Spool spool, OpenTraces traces, RunSettings settings) throws IOException {
        this.sinks = sinks;
        this.commits = commits;
        this.spool = spool;
        this.traces = traces;
        this.settings = settings;
        this.redaction = (name, text) -> sinks.content(name, text).text();
        this.maxTree = (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 12);
        spool.read(this::restore);
    }

    private void restore(Spool.Position place, byte[] line) throws IOException {
        try {
            ReceivedSpan span = ReceivedSpan.parse(Json.REPLY.object(line, 0, line.length));
            if (Traces.isOwn(span)) { // of an earlier version
                counts.own(1);
            } else if (!traces.has(span)) {
                traces.add(span, place);
            }
        } catch (RuntimeException e) { // a damaged line, which the disk has lost
            counts.damaged();
        }
    }

    CollectCounts counts() {
        return counts;
    }

    /** Takes a request, and answers once all that is new in it has been synced. */
    ExportResponse take(Signal signal, ExportRequest request, MemoryBudget.Share share)
            throws RefusedException, MalformedException {
        Batch batch = new Batch(signal, share);
        try {
            reading.take();
            try {
                request.read(batch::reserve, batch::add);
            } finally {
                reading.giveBack();
            }
            batch.keep();
        } catch (RefusedException e) {
            throw e;
        } catch (IOException e) {
            LOG.warn("spans could not be kept: {}", e.toString());
            throw new RefusedException(503, "the disk does not take it: send it again later");
        } catch (JacksonException e) {
            throw new RefusedException(400, "the body is no valid JSON");
        } catch (TooMuchException e) {
            throw e.refusal();
        }
        return new ExportResponse(signal, batch.rejected, batch.reason);
    }

    /** Turns, of which so many are taken at a time. */
    private static final class Turns {
        private final Semaphore free;
        private volatile long lastWait; // in nanoseconds

        Turns(int atATime) {
            free = new Semaphore(atATime, true);
        }

        /** Refuses at once where the queue has become long: who waits behind it for a thread is not heard at all meanwhile. */
        void take() throws RefusedException {
            if (lastWait > LONG_WAIT_NANOS && free.hasQueuedThreads()) {
                throw Body.busy();
            }
            long start = System.nanoTime();
            try {
                if (free.tryAcquire(TURN_SECONDS, TimeUnit.SECONDS)) {
                    lastWait = System.nanoTime() - start;
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw Body.busy();
        }

        void giveBack() {
            free.release();
        }
    }

    /** Memory that is not there; unchecked, since it comes about within a reader of trees. */
    private static final class TooMuchException extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final RefusedException refusal;

        TooMuchException(RefusedException refusal) {
            super(null, null, false, false);
            this.refusal = refusal;
        }

        RefusedException refusal() {
            return refusal;
        }
    }

    /** Spans of one request. Of one thread. */
    private final class Batch {
        private final Signal signal;
        private final MemoryBudget.Share share;
        private final TrainingNumbers numbers = new TrainingNumbers(redaction);
        private final List<ReceivedSpan> spans = new ArrayList<>();
        private final List<byte[]> lines = new ArrayList<>();
        private final Set<String> seen = new HashSet<>();
        private int tree;
        private int again;
        private int passedOver;
        private int own;
        private long rejected;
        private String reason = "";

        Batch(Signal signal, MemoryBudget.Share share) {
            this.signal = signal;
            this.share = share;
        }

        /** Counts what the tree of one record takes. */
        void reserve(int bytes) {
            tree += bytes;
            if (tree > maxTree) {
                throw new TooMuchException(new RefusedException(413, "a record is too large for the collector's heap"));
            }
        }

        void add(ObjectNode resource, ObjectNode record) throws IOException {
            tree = 0;
            try {
                if (signal == Signal.METRICS) {
                    numbers.add(resource, record);
                    return;
                }
                ReceivedSpan span = signal == Signal.LOGS
                        ? ReceivedSpan.ofLog(resource, record, redaction)
                        : ReceivedSpan.of(resource, record, redaction);
                if (span == null) {
                    passedOver++;
                } else if (Traces.isOwn(span)) {
                    own++;
                    reject(OWN);
                } else if (isNew(span)) {
                    byte[] line = Json.bytes(span);
                    Body.take(share, (long) LINE_FACTOR * line.length);
                    spans.add(span);
                    lines.add(line);
                }
            } catch (IllegalArgumentException e) {
                reject(String.valueOf(e.getMessage()));
            } catch (RefusedException e) {
                throw new TooMuchException(e);
            }
        }

        private void reject(String why) {
            rejected++;
            reason = why;
        }

        private boolean isNew(ReceivedSpan span) throws IOException {
            boolean known = traces.has(span) || !seen.add(span.trace() + span.id());
            again += known ? 1 : 0;
            return !known;
        }

        void keep() throws IOException, RefusedException {
            if (signal == Signal.METRICS) {
                report(numbers);
                rejected = numbers.left();
                reason = numbers.reason();
                counts.leftOut(0, numbers.left());
                return;
            } else if (!traces.hasRoom(spans.size())) {
                throw Body.busy();
            }
            if (own > 0 && counts.own(own)) {
                LOG.warn("left out: {}", OWN);
            }
            List<Spool.Position> places = lines.isEmpty() ? List.of() : spool.append(lines);
            counts.received(spans.size() + again, again);
            counts.leftOut(passedOver, 0);
            for (int i = 0; i < places.size(); i++) {
                traces.add(spans.get(i), places.get(i));
            }
        }
    }

    /** Gives numbers of training to the sinks, and returns once they are synced. */
    private void report(TrainingNumbers numbers) throws RefusedException {
        reporting.take();
        try {
            List<MetricsReported> news = numbers.news(reported);
            String problem = news.isEmpty() ? null : publish(news);
            if (problem != null) {
                reported.values().removeAll(news); // they are news when they are sent again
                throw new RefusedException(503, "the numbers are not known to be recorded: " + problem);
            }
            counts.reported(news.size());
        } finally {
            reporting.giveBack();
        }
    }

    // ---- runs, on one thread

    /** Makes runs of the traces that are to end, and gives them to the sinks. */
    void endDue() {
        end(traces.due());
        if (System.nanoTime() - cleanedAt > CLEAN_NANOS) {
            cleanedAt = System.nanoTime();
            traces.forget(KEEP_NANOS);
            try {
                spool.deleteUnused(traces.files(), KEEP_NANOS);
            } catch (IOException e) {
                LOG.warn("a file of spans that are in runs cannot be deleted: {}", e.toString());
            }
        }
    }

    /** Makes runs of all traces whose last span has come. */
    void endWhole() {
        end(traces.whole());
    }

    /** Makes runs of all traces: nothing more comes of them. */
    void endAll() {
        end(traces.all());
    }

    /** Makes runs of traces. Those of a group share a sync of the journal. */
    private void end(List<OpenTrace> due) {
        Map<OpenTrace, List<RunEvent>> group = new LinkedHashMap<>();
        long bytes = 0;
        for (OpenTrace trace : due) {
            List<RunEvent> events = make(trace);
            if (!events.isEmpty()) {
                group.put(trace, events);
                bytes += trace.bytes();
            }
            if (group.size() >= MAX_GROUP || bytes > MAX_GROUP_BYTES) {
                publish(group);
                group.clear();
                bytes = 0;
            }
        }
        publish(group);
    }

    private void publish(Map<OpenTrace, List<RunEvent>> group) {
        if (group.isEmpty()) {
            return;
        }
        String problem = publish(group.values().stream().flatMap(List::stream).toList());
        boolean again = problem != null && group.size() > 1; // one by one, so that none waits for another's problem
        group.forEach((trace, events) -> settle(trace, events, again ? publish(events) : problem));
    }

    /** Takes a trace, and returns the events of its run; none where it waits for more. */
    private List<RunEvent> make(OpenTrace trace) {
        List<Spool.Position> places;
        try {
            places = traces.take(trace);
        } catch (IOException e) { // a full disk
            LOG.warn("run {} waits: {}", trace.runId(), e.toString());
            return List.of();
        }
        List<RunEvent> events;
        try {
            events = events(trace, places);
        } catch (IOException | RuntimeException e) { // its spans stay in the spool, and no other run waits for them
            LOG.warn("no run can be made of the {} spans of {}", places.size(), trace.runId(), e);
            counts.failed(traces.await(trace, true));
            return List.of();
        }
        if (events.isEmpty()) {
            boolean letGo = traces.isTooLong(trace) && markDone(trace, events) == null;
            counts.leftOut(letGo || traces.await(trace, false));
        }
        return events;
    }

    /** Takes note that a run is in the journal, or puts its trace back where there is a problem. */
    private void settle(OpenTrace trace, List<RunEvent> events, @Nullable String publishing) {
        String problem = publishing == null ? markDone(trace, events) : publishing;
        if (problem != null) {
            LOG.warn("run {} is not known to be in the journal, and is tried again: {}", trace.runId(), problem);
            traces.putBack(trace);
            return;
        }
        counts.ended(events);
    }

    private @Nullable String markDone(OpenTrace trace, List<RunEvent> events) {
        try {
            traces.done(trace, events);
            return null;
        } catch (IOException e) { // a full disk
            return e.toString();
        }
    }

    /** Gives events to the sinks; why they are not known to be in the journal, if so. To give a run again adds nothing. */
    private @Nullable String publish(Collection<? extends Event> events) {
        long losses = commits.losses();
        for (Event event : events) {
            if (!sinks.awaitRoom(ROOM_PATIENCE)) {
                return "the disk does not keep up";
            }
            sinks.publish(event);
        }
        return commits.await(losses).orElse(null);
    }

    private List<RunEvent> events(OpenTrace trace, List<Spool.Position> places) throws IOException {
        Map<String, ReceivedSpan> spans = new LinkedHashMap<>();
        for (Spool.Position place : places) {
            byte[] line = spool.line(place);
            ReceivedSpan span = ReceivedSpan.parse(Json.REPLY.object(line, 0, line.length));
            spans.putIfAbsent(span.id(), span);
        }
        List<ReceivedSpan> all = List.copyOf(spans.values());
        Claim claim = trace.claim();
        return claim.part() == 1
                ? Traces.run(trace.runId(), all, settings)
                : Traces.late(trace.runId(), claim.part(), claim.times(), all, settings);
    }

    /** Returns how many traces wait for more. */
    int waiting() {
        return traces.size();
    }
}

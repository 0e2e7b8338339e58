package dev.rlm.collector;

import dev.rlm.cli.Commits;
import dev.rlm.cli.http.MemoryBudget;
import dev.rlm.cli.http.RefusedException;
import dev.rlm.collector.OpenTraces.OpenTrace;
import dev.rlm.collector.otlp.ExportRequest;
import dev.rlm.collector.otlp.ExportResponse;
import dev.rlm.collector.otlp.MalformedException;
import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.collector.otlp.Signal;
import dev.rlm.collector.runs.RunSettings;
import dev.rlm.collector.runs.Traces;
import dev.rlm.json.Json;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
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
    private static final Duration ROOM_PATIENCE = Duration.ofSeconds(30);
    private static final int LINE_FACTOR = 2; // what is held of a line until it is synced
    private static final long CLEAN_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long KEEP_NANOS = TimeUnit.MINUTES.toNanos(15); // who sends again does so within minutes

    private final Sinks sinks;
    private final Commits commits;
    private final Spool spool;
    private final OpenTraces traces;
    private final RunSettings settings;
    private final UnaryOperator<String> redaction;
    private final int maxTree;
    private final CollectCounts counts = new CollectCounts();
    private long cleanedAt = System.nanoTime();

    /** Goes on with what is in the spool. */
    Collector(Sinks sinks, Commits commits, Spool spool, OpenTraces traces, RunSettings settings) throws IOException {
        this.sinks = sinks;
        this.commits = commits;
        this.spool = spool;
        this.traces = traces;
        this.settings = settings;
        this.redaction = text -> sinks.content(text).text();
        this.maxTree = (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 12);
        spool.read(this::restore);
    }

    private void restore(Spool.Place place, byte[] line) {
        try {
            ObjectNode object = Json.REPLY.object(line, 0, line.length);
            String done = object.path("done").stringValue(null);
            if (done != null) {
                traces.wasDone(done);
            } else {
                ReceivedSpan span = ReceivedSpan.parse(object);
                traces.add(Traces.runId(span), id(span), Traces.isRoot(span), place);
            }
        } catch (RuntimeException e) { // a damaged line, which the disk has lost
            counts.damaged();
        }
    }

    private static long id(ReceivedSpan span) {
        return Long.parseUnsignedLong(span.id(), 16);
    }

    CollectCounts counts() {
        return counts;
    }

    /** Takes a request, and answers once all that is new in it has been synced. */
    ExportResponse take(Signal signal, ExportRequest request, MemoryBudget.Share share)
            throws RefusedException, MalformedException {
        Batch batch = new Batch(share);
        if (signal == Signal.METRICS) {
            return new ExportResponse(signal, 0, "metrics are not kept");
        }
        try {
            request.read(batch::reserve, (resource, record) -> batch.add(signal, resource, record));
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
        private final MemoryBudget.Share share;
        private final List<ReceivedSpan> spans = new ArrayList<>();
        private final List<byte[]> lines = new ArrayList<>();
        private final Set<String> seen = new HashSet<>();
        private int tree;
        private long rejected;
        private String reason = "";

        Batch(MemoryBudget.Share share) {
            this.share = share;
        }

        /** Counts what the tree of one record takes. */
        void reserve(int bytes) {
            tree += bytes;
            if (tree > maxTree) {
                throw new TooMuchException(new RefusedException(413, "a record is too large for the collector's heap"));
            }
        }

        void add(Signal signal, ObjectNode resource, ObjectNode record) {
            tree = 0;
            try {
                ReceivedSpan span = signal == Signal.LOGS
                        ? ReceivedSpan.ofLog(resource, record, redaction)
                        : ReceivedSpan.of(resource, record, redaction);
                if (span != null && isNew(span)) {
                    byte[] line = Json.bytes(span);
                    Body.take(share, (long) LINE_FACTOR * line.length);
                    spans.add(span);
                    lines.add(line);
                }
            } catch (IllegalArgumentException e) {
                rejected++;
                reason = String.valueOf(e.getMessage());
            } catch (RefusedException e) {
                throw new TooMuchException(e);
            }
        }

        private boolean isNew(ReceivedSpan span) {
            String runId = Traces.runId(span);
            boolean known = traces.has(runId, id(span)) || !seen.add(runId + span.id());
            counts.received(known);
            return !known;
        }

        void keep() throws IOException, RefusedException {
            if (!traces.hasRoom(spans.size())) {
                throw Body.busy();
            }
            List<Spool.Place> places = lines.isEmpty() ? List.of() : spool.append(lines);
            for (int i = 0; i < places.size(); i++) {
                ReceivedSpan span = spans.get(i);
                traces.add(Traces.runId(span), id(span), Traces.isRoot(span), places.get(i));
            }
        }
    }

    // ---- runs, on one thread

    /** Makes runs of the traces that are to end, and gives them to the sinks. */
    void endDue() throws IOException {
        end(traces.due());
        if (System.nanoTime() - cleanedAt > CLEAN_NANOS) {
            cleanedAt = System.nanoTime();
            spool.deleteUnused(traces.files(), KEEP_NANOS);
        }
    }

    /** Makes runs of all traces whose last span has come. */
    void endWhole() throws IOException {
        end(traces.whole());
    }

    private void end(List<OpenTrace> due) throws IOException {
        for (OpenTrace trace : due) {
            end(trace);
        }
    }

    private void end(OpenTrace trace) throws IOException {
        List<Spool.Place> places = traces.take(trace);
        List<RunEvent> events;
        try {
            events = events(trace, places);
        } catch (RuntimeException e) { // its spans stay in the spool, and no other run waits for them
            LOG.warn("no run can be made of the {} spans of {}", places.size(), trace.runId(), e);
            counts.failed();
            return;
        }
        String problem = publish(events);
        if (problem != null) {
            LOG.warn("run {} is not known to be in the journal, and is tried again: {}", trace.runId(), problem);
            traces.putBack(trace);
            return;
        }
        var unused = spool.append(List.of(Json.bytes(Map.of("done", trace.runId()))));
        traces.done(trace);
        counts.ended(events);
    }

    /** Gives a run to the sinks; why it is not known to be in the journal, if so. To give it again adds nothing. */
    private @Nullable String publish(List<RunEvent> events) {
        long losses = commits.losses();
        for (RunEvent event : events) {
            if (!sinks.awaitRoom(ROOM_PATIENCE)) {
                return "the disk does not keep up";
            }
            sinks.publish(event);
        }
        return events.isEmpty() ? null : commits.await(losses).orElse(null);
    }

    private List<RunEvent> events(OpenTrace trace, List<Spool.Place> places) throws IOException {
        Map<String, ReceivedSpan> spans = new LinkedHashMap<>();
        for (Spool.Place place : places) {
            byte[] line = spool.line(place);
            ReceivedSpan span = ReceivedSpan.parse(Json.REPLY.object(line, 0, line.length));
            spans.putIfAbsent(span.id(), span);
        }
        boolean first = trace.part() == 1;
        String runId = first ? trace.runId() : trace.runId() + "." + trace.part();
        String continued = first ? null : trace.runId();
        return Traces.run(runId, continued, List.copyOf(spans.values()), settings);
    }

    /** Returns how many traces wait for more. */
    int waiting() {
        return traces.size();
    }
}

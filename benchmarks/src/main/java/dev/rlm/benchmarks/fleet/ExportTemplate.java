package dev.rlm.benchmarks.fleet;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Requests that the OpenTelemetry sink of one runner has sent, and where the ids of its runs are in them, so that they can be
 * sent again as those of other runs.
 *
 * @param nanos duration of its runs
 */
record ExportTemplate(long nanos, List<TemplateRun> runs, List<TemplateRequest> requests) {
    private static final byte OWN_ID = 0x12; // the tag of a span's own id, where others are those of parents
    private static final int MAX_SEQ = 512; // events of a run

    /**
     * A run of the template.
     *
     * @param done steps that it had
     * @param sent steps that are in the requests
     * @param spans that are in the requests
     */
    record TemplateRun(RunIds ids, boolean failed, int done, int sent, int spans) {}

    /**
     * A request.
     *
     * @param at time at which it came, in nanoseconds from the runner's start
     * @param spans number of spans of each run
     * @param steps number of steps of all runs
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record TemplateRequest(long at, String path, byte[] body, List<IdPlace> places, int[] spans, int steps) {
        /** Returns the body with the ids of other runs. */
        byte[] body(List<RunIds> others) {
            byte[] stamped = body.clone();
            for (IdPlace place : places) {
                place.kind.write(stamped, place, others.get(place.run));
            }
            return stamped;
        }
    }

    /** Place of an id in a body. */
    record IdPlace(IdKind kind, int offset, int run, long origin) {}

    /** Kind of an id. */
    enum IdKind {
        RUN {
            @Override
            void write(byte[] body, IdPlace place, RunIds ids) {
                byte[] text = ids.runId().getBytes(StandardCharsets.US_ASCII);
                System.arraycopy(text, 0, body, place.offset, text.length);
            }
        },
        TRACE {
            @Override
            void write(byte[] body, IdPlace place, RunIds ids) {
                System.arraycopy(ids.traceId(), 0, body, place.offset, ids.traceId().length);
            }
        },
        SPAN {
            @Override
            void write(byte[] body, IdPlace place, RunIds ids) {
                ByteBuffer.wrap(body).putLong(place.offset, ids.spanId(place.origin));
            }
        };

        abstract void write(byte[] body, IdPlace place, RunIds ids);
    }

    /** Run as it was recorded. */
    record RecordedRun(String runId, boolean failed, int steps) {}

    /** Finds the ids of these runs in the requests of their runner. */
    static ExportTemplate of(long nanos, List<RecordedRun> recorded, List<OtlpReceiver.Received> received) {
        List<RunIds> ids = recorded.stream().map(run -> RunIds.of(run.runId())).toList();
        Map<Long, IdPlace> known = new HashMap<>(); // by the first or all eight bytes
        for (int run = 0; run < ids.size(); run++) {
            known.put(first(ids.get(run).traceId()), new IdPlace(IdKind.TRACE, 0, run, 0));
            known.put(
                    first(ids.get(run).runId().getBytes(StandardCharsets.US_ASCII)),
                    new IdPlace(IdKind.RUN, 0, run, 0));
            for (int kind = 1; kind <= RunIds.KINDS; kind++) {
                for (int seq = 1; seq < MAX_SEQ; seq++) {
                    long origin = RunIds.origin(kind, seq);
                    known.put(ids.get(run).spanId(origin), new IdPlace(IdKind.SPAN, 0, run, origin));
                }
            }
        }
        int[] spans = new int[ids.size()];
        int[] steps = new int[ids.size()];
        List<TemplateRequest> requests = new ArrayList<>();
        for (OtlpReceiver.Received each : received) {
            requests.add(request(each, known, spans, steps));
        }
        List<TemplateRun> runs = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            RecordedRun run = recorded.get(i);
            runs.add(new TemplateRun(ids.get(i), run.failed(), run.steps(), steps[i], spans[i]));
        }
        return new ExportTemplate(nanos, runs, requests);
    }

    private static TemplateRequest request(
            OtlpReceiver.Received received, Map<Long, IdPlace> known, int[] spans, int[] steps) {
        ByteBuffer body = ByteBuffer.wrap(received.body());
        List<IdPlace> places = new ArrayList<>();
        int[] ownSpans = new int[spans.length];
        int ownSteps = 0;
        for (int i = 0; i + Long.BYTES <= body.capacity(); i++) {
            IdPlace found = known.get(body.getLong(i));
            if (found != null) {
                places.add(new IdPlace(found.kind, i, found.run, found.origin));
                if (found.kind == IdKind.SPAN && body.get(i - 2) == OWN_ID && received.isTraces()) {
                    ownSpans[found.run]++;
                    spans[found.run]++;
                    int step = RunIds.isStep(found.origin) ? 1 : 0;
                    ownSteps += step;
                    steps[found.run] += step;
                }
            }
        }
        return new TemplateRequest(received.at(), received.path(), received.body(), places, ownSpans, ownSteps);
    }

    private static long first(byte[] id) {
        return ByteBuffer.wrap(id).getLong();
    }
}

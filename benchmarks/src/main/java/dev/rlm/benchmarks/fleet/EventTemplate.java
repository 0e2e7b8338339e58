package dev.rlm.benchmarks.fleet;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Requests that the record sink of one runner has sent, and where the ids of its runs are in them, so that they can be sent again as
 * those of other runs.
 *
 * @param nanos duration of its runs
 */
record EventTemplate(long nanos, List<TemplateRun> runs, List<TemplateRequest> requests) {
    private static final byte[] STEP_ENDED = "\"type\":\"step_ended\"".getBytes(StandardCharsets.US_ASCII);

    /** Run as it was recorded. */
    record TemplateRun(String runId, boolean failed) {}

    /**
     * A request.
     *
     * @param at time at which it came, in nanoseconds from the runner's start
     * @param steps number of steps that end in it
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record TemplateRequest(long at, byte[] body, List<IdPlace> places, int steps) {
        /** Returns the body with the ids of other runs, which are as long. */
        byte[] body(List<String> others) {
            byte[] stamped = body.clone();
            for (IdPlace place : places) {
                byte[] id = others.get(place.run).getBytes(StandardCharsets.US_ASCII);
                System.arraycopy(id, 0, stamped, place.offset, id.length);
            }
            return stamped;
        }
    }

    /** Place of a run's id in a body. */
    record IdPlace(int offset, int run) {}

    /** Finds the ids of these runs in the requests of their runner. */
    static EventTemplate of(long nanos, List<TemplateRun> runs, List<Receiver.Received> received) {
        Map<Long, Integer> known = new HashMap<>(); // by the first eight bytes
        for (int run = 0; run < runs.size(); run++) {
            byte[] id = runs.get(run).runId().getBytes(StandardCharsets.US_ASCII);
            known.put(ByteBuffer.wrap(id).getLong(), run);
        }
        return new EventTemplate(
                nanos, runs, received.stream().map(each -> request(each, known)).toList());
    }

    private static TemplateRequest request(Receiver.Received received, Map<Long, Integer> known) {
        ByteBuffer body = ByteBuffer.wrap(received.body());
        List<IdPlace> places = new ArrayList<>();
        int steps = 0;
        for (int i = 0; i + STEP_ENDED.length <= body.capacity(); i++) {
            Integer run = known.get(body.getLong(i));
            if (run != null) {
                places.add(new IdPlace(i, run));
            } else if (body.slice(i, STEP_ENDED.length).equals(ByteBuffer.wrap(STEP_ENDED))) {
                steps++;
            }
        }
        return new TemplateRequest(received.at(), received.body(), places, steps);
    }
}

package dev.rlm.journal.exchange;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.Delivery;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Runs on their way in. One that is known already, or was read before, is left out. Told to stop, it does so between two
 * runs: what was imported is whole.
 */
final class Importer {
    private static final int TOLD_LINES = 5;
    private static final int MAX_FIELDS = 100;

    private final Delivery delivery;
    private final Map<String, Long> known;
    private final boolean skipBadLines;
    private final List<String> badLines = new ArrayList<>();
    private final Map<String, Long> unknownFields = new LinkedHashMap<>();
    private boolean otherFields;
    private volatile int imported;
    private int knownBefore;
    private int cutOff;
    private long bad;
    private volatile boolean stopped;

    /**
     * @param known the runs that are there already, with the number of the end of each; it grows
     * @param skipBadLines whether to pass over lines that are not as they should be
     */
    Importer(Delivery delivery, Map<String, Long> known, boolean skipBadLines) {
        this.delivery = delivery;
        this.known = known;
        this.skipBadLines = skipBadLines;
    }

    /** Reads a source to its end; whether there is sense in reading another. */
    boolean read(LineSource source, Supplier<RunReader> form) throws IOException {
        RunReader reader = form.get();
        try {
            source.read((number, bytes, from, length) -> line(source, reader, number, bytes, from, length));
            reader.end(this::take);
            return true;
        } catch (Enough e) {
            return false;
        }
    }

    private void line(LineSource source, RunReader reader, int number, byte[] bytes, int from, int length) {
        checkGoingOn();
        try {
            JsonObject read = JsonObject.parse(bytes, from, length);
            reader.line(read, this::take);
            reader.unknownFields(read).forEach(this::count);
        } catch (BadRecordException e) {
            bad(source.name() + ", line " + number + ": " + e.getMessage());
        } catch (IllegalArgumentException | ArithmeticException e) {
            bad(source.name() + ", line " + number + ": " + e.getMessage()); // what an event does not take
        }
    }

    private void count(String unknownField) {
        if (unknownFields.size() < MAX_FIELDS || unknownFields.containsKey(unknownField)) {
            unknownFields.merge(unknownField, 1L, Long::sum);
        } else {
            otherFields = true;
        }
    }

    private void bad(String message) {
        bad++;
        if (badLines.size() < TOLD_LINES) {
            badLines.add(message);
        }
        if (!skipBadLines) {
            throw new Enough();
        }
    }

    private void checkGoingOn() {
        if (stopped || delivery.isOver()) {
            throw new Enough();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread; others look on
    private void take(List<RunEvent> run) {
        checkGoingOn();
        RunEvent last = run.get(run.size() - 1);
        Long before = known.putIfAbsent(last.run().runId(), last.seq());
        if (before != null) {
            knownBefore++;
            cutOff += last instanceof RunEnded && before < last.seq() ? 1 : 0;
            return;
        }
        for (RunEvent event : run) {
            if (!delivery.publish(event)) {
                throw new Enough();
            }
        }
        imported++;
    }

    /** Has it stop after the run under way. On any thread. */
    void stop() {
        stopped = true;
    }

    boolean wasStopped() {
        return stopped;
    }

    /** How many runs were imported so far. */
    int imported() {
        return imported;
    }

    /** How many runs were left out because they are there already. */
    int knownBefore() {
        return knownBefore;
    }

    /** How many of those have fewer events there. */
    int cutOff() {
        return cutOff;
    }

    /** How many lines are not as they should be. */
    long bad() {
        return bad;
    }

    /** What is wrong with the first of them. */
    List<String> badLines() {
        return badLines;
    }

    /** The fields that were not taken over, with the number of lines that have each; the first {@value #MAX_FIELDS}. */
    Map<String, Long> unknownFields() {
        return unknownFields;
    }

    /** Returns whether there are more of them. */
    boolean hasMoreUnknownFields() {
        return otherFields;
    }

    /** Whether it ended because of a bad line. */
    boolean gaveUp() {
        return bad > 0 && !skipBadLines;
    }

    /** There is no sense in going on. */
    private static final class Enough extends RuntimeException {
        private static final long serialVersionUID = 1;

        Enough() {
            super(null, null, false, false);
        }
    }
}

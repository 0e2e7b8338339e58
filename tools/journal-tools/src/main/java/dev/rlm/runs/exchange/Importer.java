package dev.rlm.runs.exchange;

import dev.rlm.journal.recovery.ResendQueue;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.Records;
import dev.rlm.runs.exchange.input.RunReader;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.time.DateTimeException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.zip.ZipException;

/**
 * Runs on their way in. One that is known already, or was read before, is left out. Told to stop, it does so between two
 * runs: what was imported is whole.
 */
final class Importer {
    private final ResendQueue queue;
    private final Map<String, Long> known;
    private final Imported imported;

    /**
     * @param known the runs that are there already, with the number of the end of each; it grows
     * @param imported counts what comes of it
     */
    Importer(ResendQueue queue, Map<String, Long> known, Imported imported) {
        this.queue = queue;
        this.known = known;
        this.imported = imported;
    }

    /** Reads the sources, as long as there is sense in it. */
    void read(List<LineSource> sources, Supplier<RunReader> format) {
        try {
            for (LineSource source : sources) {
                read(source, format.get());
            }
        } catch (Enough e) {
            // what has been imported is whole
        }
    }

    private void read(LineSource source, RunReader reader) {
        reader.begin(source.name());
        try {
            source.read((place, object) ->
                    read(reader, object, source.name() + (place.isEmpty() ? ": " : ", " + place + ": ")));
        } catch (ZipException e) {
            imported.bad(source.name() + ": expected a zip archive that can be read, found: " + e.getMessage());
            checkGoingOn();
        } catch (IOException e) {
            imported.failed(source.name() + " cannot be read: " + LineSource.reason(e));
            throw new Enough();
        }
        reader.end(this::take);
    }

    private void read(RunReader reader, Records.Parsing object, String place) {
        checkGoingOn();
        try {
            JsonObject read = object.parse();
            reader.line(read, this::take);
            Set<String> unknown = new LinkedHashSet<>(); // once a line
            reader.unknownFields(read, unknown::add);
            unknown.forEach(imported::unknown);
        } catch (BadRecordException
                | IllegalArgumentException
                | DateTimeException
                | ArithmeticException e) { // also what no event takes
            imported.bad(place + e.getMessage());
            checkGoingOn();
        }
    }

    private void checkGoingOn() {
        if (imported.isOver() || queue.isOver()) {
            throw new Enough();
        }
    }

    private void take(List<RunEvent> run) {
        checkGoingOn();
        RunEvent last = run.get(run.size() - 1);
        Long before = known.putIfAbsent(last.run().runId(), last.seq());
        if (before != null) {
            imported.known(last instanceof RunEnded && before < last.seq());
            return;
        }
        for (RunEvent event : run) {
            if (!queue.publish(event)) {
                throw new Enough();
            }
        }
        imported.run();
    }

    /** There is no sense in going on. */
    private static final class Enough extends RuntimeException {
        private static final long serialVersionUID = 1;

        Enough() {
            super(null, null, false, false);
        }
    }
}

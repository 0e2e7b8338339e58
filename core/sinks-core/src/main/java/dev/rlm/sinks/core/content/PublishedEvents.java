package dev.rlm.sinks.core.content;

import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.redaction.Redaction;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Takes secrets out of events that were made elsewhere, and prices their model calls. What is known of a run is looked through once, at its start, and
 * not with each of its events. Safe for use by several threads.
 */
public final class PublishedEvents {
    private final Map<String, Known> open = new ConcurrentHashMap<>();
    private final RecordRedactor ofRuns;
    private final RecordRedactor ofEvents;
    private final ArtifactReader files;
    private final ModelPrices prices;

    public PublishedEvents(Redaction redaction, ArtifactReader files, ModelPrices prices) {
        this.files = files;
        this.prices = prices;
        ofRuns = new RecordRedactor(redaction, run -> run);
        ofEvents = new RecordRedactor(redaction, this::run);
    }

    /**
     * The event without secrets, a model call with its cost: the same object where it has none and tells what is known.
     *
     * @throws RuntimeException if it is no event without them
     */
    public Event clean(Event event) {
        if (event instanceof RunStarted start) {
            open.put(start.run().runId(), new Known(start.run(), ofRuns.run(start.run())));
        }
        Event clean = (Event) ofEvents.clean((Record) event);
        if (event instanceof RunEnded end) {
            open.remove(end.run().runId());
        }
        if (clean instanceof ModelCalled call) {
            return prices.priced(call);
        }
        return clean instanceof ArtifactSaved file ? files.clean(file) : clean;
    }

    @SuppressWarnings("ReferenceEquality") // the same object, as a rule: to compare what is in it would cost more
    private RunInfo run(RunInfo given) {
        Known known = open.get(given.runId());
        return known != null && known.given() == given ? known.clean() : ofRuns.run(given);
    }

    /** A run as it was given, and as events name it. */
    private record Known(RunInfo given, RunInfo clean) {}
}

package dev.rlm.sinks.testkit;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * A sink that keeps every event in memory, in the order received. It may be read on any thread, also after it was
 * closed; what is read is a copy.
 *
 * <pre>{@code
 * InMemorySink memory = new InMemorySink();
 * try (Sinks sinks = Sinks.builder().add("memory", memory).build()) {
 *     ...
 * }
 * assertThat(memory.events(StepEnded.class)).hasSize(3);
 * }</pre>
 */
public final class InMemorySink implements Sink {
    private final List<Event> events = new ArrayList<>();

    @Override
    public synchronized void onEvent(Event event) {
        events.add(event);
    }

    /** All events. */
    public synchronized List<Event> events() {
        return List.copyOf(events);
    }

    /** The events of one kind. */
    public <E extends Event> List<E> events(Class<E> kind) {
        return events().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /**
     * Returns the one event of that kind.
     *
     * @throws AssertionError if there is none, or more than one
     */
    public <E extends Event> E only(Class<E> kind) {
        List<E> all = events(kind);
        if (all.size() != 1) {
            throw new AssertionError("expected one " + kind.getSimpleName() + ", got " + all.size());
        }
        return all.get(0);
    }

    /** The events of one run. */
    public List<RunEvent> of(String runId) {
        return events(RunEvent.class).stream()
                .filter(event -> event.run().runId().equals(runId))
                .toList();
    }

    /** Forgets all events. */
    public synchronized void clear() {
        events.clear();
    }
}

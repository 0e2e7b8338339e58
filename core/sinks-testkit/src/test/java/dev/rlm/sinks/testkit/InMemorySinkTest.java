package dev.rlm.sinks.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class InMemorySinkTest extends SinkContractTest {
    private final List<InMemorySink> sinks = new ArrayList<>();

    @Override
    protected Sink newSink() {
        InMemorySink sink = new InMemorySink();
        sinks.add(sink);
        return sink;
    }

    @Override
    protected String everythingWritten() {
        return sinks.stream().map(sink -> sink.events().toString()).toList().toString();
    }

    @Override
    protected OptionalLong arrived() {
        return OptionalLong.of(
                sinks.stream().mapToLong(sink -> sink.events().size()).sum());
    }

    @Test
    void events_byKindAndRun_keepTheirOrder() {
        InMemorySink sink = new InMemorySink();
        List<Event> one = Events.full("one");
        Events.minimal("other").forEach(sink::onEvent);
        one.forEach(sink::onEvent);

        assertThat(sink.events()).hasSize(2 * one.size());
        assertThat(sink.events(StepEnded.class))
                .extracting(event -> event.run().runId())
                .containsExactly("other", "one");
        assertThat(sink.of("one"))
                .isEqualTo(one.stream().filter(RunEvent.class::isInstance).toList());
        sink.clear();
        assertThat(sink.events()).isEmpty();
    }

    @Test
    void examples_coverEveryKindOnce() {
        Class<?>[] kinds = Stream.concat(
                        Stream.of(RunEvent.class.getPermittedSubclasses()),
                        Stream.of(Event.class.getPermittedSubclasses()).filter(kind -> kind != RunEvent.class))
                .filter(kind -> kind != LedgerReported.class) // which a hub alone makes
                .toArray(Class<?>[]::new);

        assertThat(Events.full("run")).extracting(Object::getClass).containsExactlyInAnyOrder(kinds);
        assertThat(Events.minimal("run")).extracting(Object::getClass).containsExactlyInAnyOrder(kinds);
    }
}

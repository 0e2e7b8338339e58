package dev.rlm.cli.testkit;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A sink that keeps events in memory, for tests that run commands in their own process, and appends a word about each to
 * the file {@code RLM_KEPT_FILE}, for those that start one.
 */
public final class KeptSinkProvider implements SinkProvider {
    public static final String NAME = "kept";

    private static final Queue<Event> EVENTS = new ConcurrentLinkedQueue<>();

    /** Forgets what was kept. */
    public static void clear() {
        EVENTS.clear();
    }

    /** The events of that kind so far. */
    public static <T extends Event> List<T> events(Class<T> kind) {
        return EVENTS.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable("RLM_KEPT_FILE", "", "where to write a word about each event"),
                new Variable("RLM_KEPT_URL", "", "where its runs are said to be seen"));
    }

    @Override
    public Sink create(SinkConfig config) {
        return new KeptSink(config.path("FILE"), config.url("URL"));
    }

    private record KeptSink(Optional<Path> file, Optional<URI> url) implements Sink {
        @Override
        public void onEvent(Event event) {
            EVENTS.add(event);
            String word = event instanceof RunEnded ended
                    ? ended.outcome().label()
                    : event.getClass().getSimpleName();
            file.ifPresent(target -> append(target, word + "\n"));
        }

        @Override
        public Optional<URI> location(String runId) {
            return url.map(page -> page.resolve("/trace/" + runId)).or(() -> file.map(Path::toUri));
        }

        private static void append(Path file, String text) {
            try {
                Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RewardComponent;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/**
 * Hubs where the implementation is missing: they record nothing, keep none of the sinks that they are given, and say so once
 * in the log, when the first is made.
 */
final class NoHub implements HubProvider {
    private final String reason;
    private final AtomicBoolean said = new AtomicBoolean();

    NoHub(String reason) {
        this.reason = reason;
    }

    @Override
    public Sinks.Builder builder() {
        return new NoBuilder();
    }

    @Override
    public List<SinkProvider> providers(SinkConfig config) {
        return List.of();
    }

    private Sinks hub() {
        if (said.compareAndSet(false, true)) {
            LoggerFactory.getLogger("dev.rlm.sinks").warn("nothing is recorded: {}", reason);
        }
        return new NoSinks(new SinkStatus("?", true, false, reason, Ledger.EMPTY));
    }

    private final class NoBuilder implements Sinks.Builder {
        @Override
        public Sinks.Builder config(SinkConfig value) {
            return this;
        }

        @Override
        public Sinks.Builder only(List<String> names) {
            return this;
        }

        @Override
        public Sinks.Builder add(String name, Sink sink) {
            return this;
        }

        @Override
        public Sinks.Builder add(String name, Supplier<Sink> factory) {
            return this;
        }

        @Override
        public Sinks.Builder secret(String value) {
            return this;
        }

        @Override
        public Sinks.Builder redactor(Redactor redactor) {
            return this;
        }

        @Override
        public Sinks.Builder withoutRedaction() {
            return this;
        }

        @Override
        public Sinks.Builder heartbeat(Duration interval) {
            return this;
        }

        @Override
        public Sinks.Builder closeAtShutdown() {
            return this;
        }

        @Override
        public Sinks.Builder resending() {
            return this;
        }

        @Override
        public Sinks.Builder resendingAndMeasuring() {
            return this;
        }

        @Override
        public Sinks.Builder recovering() {
            return this;
        }

        @Override
        public Sinks.Builder importing() {
            return this;
        }

        @Override
        public Sinks.Builder clocks(InstantSource wallClock, LongSupplier nanoseconds) {
            return this;
        }

        @Override
        public Sinks build() {
            return hub();
        }
    }

    /**
     * A hub without sinks.
     *
     * @param missing its one status, so that a flush of it is never complete
     */
    private record NoSinks(SinkStatus missing) implements Sinks {
        @Override
        public Run startRun(RunSpec spec) {
            return Run.noop();
        }

        @Override
        public boolean reward(String runId, String source, double value, List<RewardComponent> components) {
            return false;
        }

        @Override
        public boolean reward(String runId, String source, Reward reward) {
            return false;
        }

        @Override
        public boolean rewardAbsent(String runId, String source, String reason) {
            return false;
        }

        @Override
        public boolean metrics(String category, Map<String, ?> values) {
            return false;
        }

        @Override
        public void publish(Event event) {}

        /** Text that nobody can read, because nothing here could redact it. */
        @Override
        public Content content(String text) {
            return Content.of(text, unused -> Content.FAILED);
        }

        @Override
        public void registerSecret(String value) {}

        @Override
        public void add(String name, Sink sink) {}

        @Override
        public boolean remove(String name) {
            return false;
        }

        @Override
        public Optional<Sink> get(String name) {
            return Optional.empty();
        }

        @Override
        public <T> Optional<T> get(Class<T> type) {
            return Optional.empty();
        }

        @Override
        public List<SinkProvider> providers() {
            return List.of();
        }

        @Override
        public List<SinkStatus> statuses() {
            return List.of(missing);
        }

        @Override
        public List<SinkStatus> check(Duration timeout) {
            return statuses();
        }

        @Override
        public RedactionCounts redactions() {
            return new RedactionCounts(Map.of(), 0, 0);
        }

        @Override
        public Map<String, Path> recordPaths() {
            return Map.of();
        }

        @Override
        public Map<String, URI> locations(String runId) {
            return Map.of();
        }

        @Override
        public boolean awaitRoom(Duration timeout) {
            return true;
        }

        @Override
        public FlushResult flush(Duration timeout) {
            SortedMap<String, Boolean> none = new TreeMap<>();
            none.put(missing.name(), false);
            return new FlushResult(none);
        }

        @Override
        public FlushResult flushDurable(Duration timeout) {
            return flush(timeout);
        }

        @Override
        public void close() {}

        @Override
        public void close(Duration timeout) {}
    }
}

package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * What tests of sinks that fail have in common: a clock to be moved, events, what is said of a sink, and a wait that ends with the test.
 */
final class Faults implements AfterEachCallback {
    static final Duration LONG = Duration.ofSeconds(60);
    static final RunInfo RUN = RunInfoBuilder.builder()
            .runId("foreign")
            .startedAt(Instant.EPOCH)
            .environment("env")
            .model("")
            .build();
    static final Event EVENT = new Heartbeat(RUN, 1, 0, 0, 0);

    final CountDownLatch never = new CountDownLatch(1); // while the test runs

    private final AtomicLong nanos = new AtomicLong();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    Faults() {
        log.start();
        logger().addAppender(log);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger("dev.rlm.sinks");
    }

    /** A hub whose time passes when a test says so, without heartbeats for the time that it lets pass. */
    Sinks.Builder hub() {
        return Sinks.builder().heartbeat(Duration.ZERO).clocks(InstantSource.system(), nanos::get);
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /** Lets time pass until a watchdog must have seen that nothing moves. */
    boolean passUntil(boolean seen) {
        if (!seen) {
            pass(Duration.ofSeconds(61));
        }
        return seen;
    }

    /** Lets time pass until the status of the sink "hanging" tells that. */
    void awaitHung(Sinks sinks, String detail) {
        await().atMost(LONG)
                .until(() -> passUntil(status(sinks, "hanging").detail().contains(detail)));
    }

    static void publish(Sinks sinks, int events) {
        for (int i = 0; i < events; i++) {
            sinks.publish(EVENT);
        }
    }

    static SinkStatus status(Sinks sinks, String name) {
        return sinks.statuses().stream()
                .filter(status -> status.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    static Ledger ledger(Sinks sinks, String name) {
        return status(sinks, name).ledger();
    }

    /** That so many events have come to rest: delivered, or dropped for these reasons. */
    static void assertAtRest(Sinks sinks, String name, long delivered, Map<String, Long> dropped) {
        long offered = delivered + dropped.values().stream().mapToLong(n -> n).sum();
        assertThat(ledger(sinks, name)).isEqualTo(Ledger.of(offered, delivered, dropped));
    }

    /** What was said of the sink. */
    List<String> said(String name) {
        return List.copyOf(log.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.startsWith("sink " + name + ": "))
                .map(line -> line.substring(("sink " + name + ": ").length()))
                .toList();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        never.countDown();
        logger().detachAppender(log);
    }
}

package dev.rlm.sinks.delivery;

import static dev.rlm.sinks.testkit.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.delivery.WebhookServer.Behaviour;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sink of the example, by whatever its server does. */
@Timeout(60)
class WebhookSinkTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int STEPS = 700; // more than fit into a batch
    private static final int EVENTS = 2 * STEPS + 2;

    private WebhookServer server;
    private Sinks sinks;

    @BeforeEach
    void start() throws IOException {
        server = new WebhookServer();
        sinks = Sinks.builder().add("webhook", WebhookExample.sink(server)).build();
    }

    @AfterEach
    void stop() {
        sinks.close();
        server.close();
    }

    @Test
    void example_isShort() throws IOException {
        assertThat(WebhookExample.source()).hasSizeLessThanOrEqualTo(150);
    }

    @Tag("thorough")
    @Tag("smoke")
    @Test
    void allEvents_arrive_inBatches() {
        record();
        assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        assertThat(server.events()).isEqualTo(EVENTS);
        assertThat(server.requests()).isLessThan(EVENTS / 10);
        assertThat(ledger().delivered()).isEqualTo(EVENTS);
        assertThat(status().detail()).isEqualTo(server.uri() + ", " + EVENTS + " events arrived");
    }

    @Test
    void serverError_isCounted_andTheNextBatchFaresBetter() {
        server.behave((number, body, exchange) -> 500);
        record();
        assertThat(sinks.flush(PATIENCE).isComplete()).isFalse();
        assertThat(ledger().dropped()).isEqualTo(Map.of("export_http_500", (long) EVENTS));
        assertThat(status().available()).isFalse();
        assertThat(status().detail()).endsWith("last failure: HTTP status 500: its own error");

        server.behave(Behaviour.TAKE);
        record();
        assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        assertThat(ledger().delivered()).isEqualTo(EVENTS);
        assertThat(status().available()).isTrue();
        addsUp();
    }

    @Test
    void overloadedServer_isLeftAloneForAsLongAsItAsks() {
        AtomicLong first = new AtomicLong();
        List<String> refused = new CopyOnWriteArrayList<>(); // those that were on their way when it asked
        server.behave((number, body, exchange) -> {
            first.compareAndSet(0, System.nanoTime());
            if (System.nanoTime() - first.get() < Duration.ofSeconds(2).toNanos()) {
                exchange.getResponseHeaders().set("Retry-After", "2");
                refused.add(body);
                return 429;
            }
            return 200;
        });
        record();
        assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        assertThat(ledger().delivered()).isEqualTo(EVENTS);
        assertThat(server.events()).isEqualTo(EVENTS);
        assertThat(refused).isNotEmpty().doesNotHaveDuplicates();
        assertThat(server.requests())
                .as("each once, and once again where it was refused")
                .isEqualTo(server.bodies().size() + refused.size());
    }

    @Test
    void connections_thatAreCut_areMadeAgain() {
        server.behave((number, body, exchange) -> number % 2 == 1 ? Behaviour.CUTS : 200);
        record();
        assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        assertThat(ledger().delivered()).isEqualTo(EVENTS);
        assertThat(server.events()).isEqualTo(EVENTS);
    }

    @Test
    void batches_thatAreTooLarge_areSentInParts_andAnEventThatIsTooLargeIsLostAlone() {
        server.behave((number, body, exchange) -> body.length() > 20_000 ? 413 : 200);
        record("x".repeat(30_000));
        assertThat(sinks.flush(PATIENCE).isComplete()).isFalse();
        assertThat(ledger().dropped()).isEqualTo(Map.of("export_http_413", 1L));
        assertThat(server.events()).isEqualTo(EVENTS - 1);
        addsUp();
    }

    @Tag("thorough")
    @Test
    void hangingServer_holdsUpNeitherTheRunnerNorTheClose_andAllIsCounted() {
        server.behave((number, body, exchange) -> Behaviour.HANGS);
        record();
        await().until(() -> server.requests() == 2);
        assertThat(sinks.flush(Duration.ofMillis(500)).isComplete()).isFalse();
        await().until(() -> status().detail().endsWith("last failure: nothing has answered so far"));
        for (int run = 0; run < 4; run++) {
            record(); // more than may wait
        }
        await().until(() -> server.requests() == 4);
        sinks.close();
        assertThat(server.requests()).as("as many at once as there may be").isEqualTo(4);
        assertThat(ledger().delivered()).isZero();
        assertThat(ledger().dropped()).containsOnlyKeys("closed", "export_timeout");
        assertThat(status().detail()).endsWith("last failure: no answer before the close");
        addsUp();
    }

    @Test
    void serverThatIsAway_isReachedWhenItIsBack() throws IOException {
        server.behave((number, body, exchange) -> number <= 3 ? 503 : 200);
        record();
        assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        assertThat(server.events()).isEqualTo(EVENTS);
        assertThat(status().available()).isTrue();
    }

    private void record() {
        record("done");
    }

    private void record(String answer) {
        try (Run run = sinks.startRun(RunSpec.builder("calc").build())) {
            for (int i = 0; i < STEPS; i++) {
                run.startStep().complete("");
            }
            run.complete(answer);
        }
    }

    private SinkStatus status() {
        return sinks.statuses().get(0);
    }

    private Ledger ledger() {
        return status().ledger();
    }

    private void addsUp() {
        Ledger ledger = ledger();
        assertThat(ledger.delivered() + ledger.lost() + ledger.queued()).isEqualTo(ledger.offered());
    }
}

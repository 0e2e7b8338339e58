package dev.rlm.collector;

import static dev.rlm.collector.Otlp.lasting;
import static dev.rlm.collector.Otlp.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.Journal;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A collector that is killed again and again while a sender sends, and tries again what was not acknowledged. */
@Timeout(600)
class KilledCollectorTest {
    private static final int KILLS = Integer.getInteger("rlm.test.kills", 4);
    private static final long SEED = Long.getLong("fuzz.seed", 29);
    private static final Map<String, String> CHAT =
            Map.of("gen_ai.operation.name", "chat", "gen_ai.provider.name", "openai", "gen_ai.request.model", "gpt-x");

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // by each test
    private CollectProcess collector;

    private int acknowledged; // traces, whose number is the next one's

    @Test
    void spansThatWereAcknowledged_areThereOnce() throws Exception {
        Random random = new Random(SEED);
        for (int kill = 0; kill < KILLS; kill++) {
            collector = start();
            sendUntilKilled(acknowledged + 1 + random.nextInt(60));
            assertThat(collector.rlm().process().waitFor()).isEqualTo(137);
        }
        collector = start();
        send(acknowledged);
        collector.stop();

        Journal journal = collector.journal();
        assertThat(journal.runs()).hasSize(acknowledged + 1);
        for (int trace = 0; trace <= acknowledged; trace++) {
            List<RunEvent> run = journal.events(id(trace));
            assertThat(run)
                    .filteredOn(ModelCalled.class::isInstance)
                    .as("trace " + trace)
                    .hasSize(2);
            assertThat(run)
                    .filteredOn(RunEnded.class::isInstance)
                    .map(event -> ((RunEnded) event).outcome())
                    .as("trace " + trace)
                    .containsExactly(Outcome.COMPLETED);
        }
    }

    private CollectProcess start() throws Exception {
        return CollectProcess.start(folder, "--quiet-time", "50ms");
    }

    /** Goes on while it is killed, so that this may happen at any moment. */
    private void sendUntilKilled(int killAt) throws Exception {
        CompletableFuture<Void> killed = new CompletableFuture<>();
        while (true) {
            if (acknowledged == killAt) {
                killed = CompletableFuture.runAsync(collector.rlm().process()::destroyForcibly);
            }
            try {
                send(acknowledged);
            } catch (IOException e) {
                killed.join();
                return; // and it is sent again to the next one
            }
            acknowledged++;
        }
    }

    private void send(int trace) throws Exception {
        post(Otlp.of(trace + 1, 2, 1, "chat", CHAT).build());
        post(
                Otlp.of(trace + 1, 3, 1, "chat", CHAT).build(),
                lasting(9, Otlp.of(trace + 1, 1, 0, "agent", Map.of()).build()));
    }

    private void post(Span... spans) throws Exception {
        assertThat(collector
                        .post("/v1/traces", request(spans).toByteArray(), "Content-Type", "application/x-protobuf")
                        .statusCode())
                .isEqualTo(200);
    }

    private static String id(int trace) {
        return String.format("%032x", trace + 1);
    }
}

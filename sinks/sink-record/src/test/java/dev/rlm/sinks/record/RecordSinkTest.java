package dev.rlm.sinks.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of a recorder, and what became of the events. */
class RecordSinkTest {
    private static final Duration LONG = Duration.ofSeconds(60); // the first request loads classes

    private final LineServer server = new LineServer();

    RecordSinkTest() throws IOException {}

    @AfterEach
    void stop() {
        server.close();
    }

    /** Returns what became of the events of a run. */
    private Ledger record() {
        Sinks sinks = Sinks.builder()
                .config(SinkConfig.of(Map.of("RLM_JSONL_ENABLED", "false")))
                .build();
        sinks.add("record", new RecordSink(server.url(), "a-token", LONG));
        try (Run run = sinks.startRun(RunSpec.builder("e").build())) {
            run.startStep("look").complete("seen");
            run.complete("42");
        }
        sinks.close(LONG);
        return sinks.statuses().stream()
                .filter(status -> status.name().equals("record"))
                .findFirst()
                .orElseThrow()
                .ledger();
    }

    @Test
    void events_areTheJournalsLines_inOrder() {
        Ledger ledger = record();
        assertThat(ledger.lost() + ledger.queued()).isZero();
        assertThat(server.lines()).hasSize(4);
        assertThat(server.lines().get(0)).contains("\"type\":\"run_started\"").contains("\"seq\":1");
        assertThat(server.lines().get(3)).contains("\"type\":\"run_ended\"");
    }

    @Test
    void linesThatAreNotSynced_areSentAgain_andCountOnce() {
        AtomicInteger answers = new AtomicInteger();
        server.answer = line -> answers.incrementAndGet() <= 1
                ? "{\"ok\":false,\"error\":\"not known to be synced\",\"retry\":true}"
                : line.contains("run_started")
                        ? "{\"ok\":false,\"error\":\"has started already\",\"repeated\":true}"
                        : LineServer.SYNCED;
        Ledger ledger = record();
        assertThat(ledger.lost() + ledger.queued()).isZero();
        assertThat(server.lines().stream().filter(line -> line.contains("run_started")))
                .hasSizeGreaterThan(1);
    }

    @Test
    void refusedLines_areLost_andToldSo() {
        server.answer = line -> line.contains("step_started")
                ? "{\"ok\":false,\"error\":\"run r is not known here\"}"
                : LineServer.SYNCED;
        Ledger ledger = record();
        assertThat(ledger.lost()).isEqualTo(1);
        assertThat(ledger.losses()).containsEntry("export_rejected", 1L);
    }

    @Test
    void serverThatIsNoRecorder_isToldSo() {
        server.answer = line -> "<html>";
        Ledger ledger = record();
        assertThat(ledger.losses()).containsOnlyKeys("bad_answer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ftp://host", "http://user:secret@host", "http://host?key=secret"})
    void wrongAddress_isAnErrorThatNamesTheVariable(String url) {
        SinkConfig config = SinkConfig.of(Map.of("RLM_RECORD_URL", url)).sink("record");
        assertThatThrownBy(() -> new RecordSinkProvider().create(config))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("RLM_RECORD_URL")
                .hasMessageNotContaining("secret");
    }
}

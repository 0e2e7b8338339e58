package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job whose back ends are dead: one at which nothing listens, and one that accepts and never answers. */
@Tag("thorough")
@Timeout(300)
class DeadBackEndTest {
    /** Sinks are given up four seconds after the last run; to wait and to close for five seconds each took eight. */
    private static final Duration MOST = Duration.ofSeconds(6);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"false,otel", "true,otel", "false,mlflow", "true,mlflow", "true,otel mlflow"})
    void job_endsSoon_andSaysWhatWasNotDelivered(boolean listens, String sinks) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            if (!listens) {
                silent.close();
            }
            try (RlmProcess process = start("http://127.0.0.1:" + silent.getLocalPort(), sinks.split(" ", -1))) {
                process.awaitSuccess();

                assertThat(waited()).isLessThan(MOST);
                assertThat(process.out()).containsPattern("jsonl +(\\d+) of \\1 events delivered");
                for (String sink : sinks.split(" ", -1)) {
                    assertThat(process.err())
                            .contains("sink '" + sink + "' is not available: ")
                            .containsPattern("sink '" + sink + "' lost (\\d+) of \\1 events: ")
                            .contains("to send them again: rlm resend --sink " + sink);
                }
            }
        }
    }

    /** Returns the time from the last run's end until the journal noted what had become of all events. */
    private Duration waited() {
        Journal journal = Journal.open(folder.resolve(".rlm"));
        Instant lastEnd = journal.runs().stream()
                .flatMap(run -> journal.events(run.run().runId()).stream())
                .filter(RunEnded.class::isInstance)
                .map(RunEvent::time)
                .max(Instant::compareTo)
                .orElseThrow();
        Instant given = journal.ledgers().values().iterator().next().time();
        return Duration.between(lastEnd, given);
    }

    private RlmProcess start(String address, String... sinks) throws IOException {
        Map<String, String> variables =
                new HashMap<>(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", address, "MLFLOW_TRACKING_URI", address));
        for (String sink : sinks) {
            variables.put("RLM_" + sink.toUpperCase(Locale.ROOT) + "_ENABLED", "true");
        }
        return RlmProcess.start(folder, variables, "run", "--samples", "4");
    }
}

package dev.rlm.cli.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.otel.backend.OtlpAnswer;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ordinary outages: a back end that goes and comes back. */
@Timeout(120)
class OutageTest {
    private static final Duration LONG = Duration.ofSeconds(40);

    @TempDir
    private Path folder;

    @Test
    void backEnd_thatComesBack_hasWhatCameSince_andTheRestIsCounted() throws IOException {
        Map<String, String> impatient = Map.of("OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED", "true");
        try (House house = House.with(folder, impatient)) {
            house.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.UNAVAILABLE);
            house.work();
            assertThat(house.flush())
                    .as("flush while down: %s", house.ledger("otel"))
                    .isFalse();
            Ledger down = house.ledger("otel");
            assertThat(down.delivered()).isZero();
            assertThat(down.dropped()).containsOnlyKeys("export_http_503");
            assertThat(house.status("otel").available()).isFalse();

            house.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.ACCEPT);
            house.work();
            await().atMost(LONG)
                    .until(() -> house.ledger("otel").delivered() > 0
                            && house.ledger("otel").queued() == 0);
            house.putClockForward(Duration.ofMinutes(2));
            await().atMost(LONG)
                    .until(() -> house.log().of("otel").stream().anyMatch(line -> line.contains("delivers again")));
            house.shut();

            Ledger ledger = house.isBalanced("otel");
            assertThat(ledger.dropped()).isEqualTo(down.dropped());
            assertThat(ledger.offered()).isEqualTo(house.memory().events().size());
            assertThat(house.receiver().spans("rlm.run")).hasSize(Work.RUNS);
            assertThat(house.status("otel").available()).isTrue();
            assertThat(house.ledger("jsonl").dropped()).isEmpty();
            house.journaled();
        }
    }
}

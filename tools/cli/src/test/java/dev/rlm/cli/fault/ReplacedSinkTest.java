package dev.rlm.cli.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.PluginFolder;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.testkit.fault.Callback;
import dev.rlm.sinks.testkit.fault.Fault;
import dev.rlm.sinks.testkit.fault.Gate;
import dev.rlm.sinks.testkit.fault.HostileSink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A sink that hangs and was chosen by configuration: its provider makes another in its place, once. */
@Tag("thorough")
@Timeout(120)
class ReplacedSinkTest {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(20);

    private final Gate gate = new Gate();

    @TempDir
    private Path folder;

    @AfterEach
    void open() {
        gate.open();
        SuppliedSinkProvider.clear();
    }

    @Test
    void sink_thatHangs_isReplaced() throws IOException {
        HostileSink first = hanging(Callback.ON_EVENT);
        HostileSink second = HostileSink.with(() -> {});
        SuppliedSinkProvider.supply(first, second);
        try (House house = house()) {
            house.work();
            await().atMost(LONG)
                    .until(() -> !second.taken().events().isEmpty()
                            || house.ledger(SuppliedSinkProvider.NAME).dropped().containsKey("hung"));
            house.work();
            assertThat(house.flush()).isTrue();
            assertThat(house.status(SuppliedSinkProvider.NAME).available()).isTrue();
            gate.open(); // the first comes back, and is none of the hub's any more
            await().atMost(LONG).until(() -> first.calls(Callback.CLOSE) == 1);
            house.shut();

            house.isCompleteElsewhere();
            Ledger ledger = house.isBalanced(SuppliedSinkProvider.NAME);
            assertThat(ledger.offered()).isEqualTo(house.memory().events().size());
            assertThat(ledger.dropped().keySet()).containsExactly("hung");
            assertThat(ledger.delivered()).isEqualTo(second.taken().events().size());
            assertThat(second.calls(Callback.CLOSE)).isEqualTo(1);
            assertThat(house.log().of(SuppliedSinkProvider.NAME)).hasSizeBetween(1, 5);
        }
    }

    @Test
    void sink_thatHangsAgain_isGivenUp() throws IOException {
        HostileSink third = HostileSink.with(() -> {});
        SuppliedSinkProvider.supply(hanging(Callback.ON_EVENT), hanging(Callback.ON_EVENT), third);
        try (House house = house()) {
            house.work();
            await().atMost(LONG)
                    .until(() -> !house.status(SuppliedSinkProvider.NAME).available() && gate.waiting() == 2);
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            Ledger ledger = house.isBalanced(SuppliedSinkProvider.NAME);
            assertThat(ledger.dropped()).isEqualTo(Map.of("hung", ledger.offered()));
            assertThat(third.calls(Callback.ON_EVENT)).isZero();
        }
    }

    /** The hub has no better one, and goes on without. */
    @Test
    void sink_whoseSuccessorCannotBeMade_isGivenUp() throws IOException {
        SuppliedSinkProvider.supply(hanging(Callback.ON_BATCH_END));
        try (House house = house()) {
            house.work();
            await().atMost(LONG)
                    .until(() -> !house.status(SuppliedSinkProvider.NAME).available());
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            assertThat(house.isBalanced(SuppliedSinkProvider.NAME).dropped().keySet())
                    .containsExactlyInAnyOrder("hung", "sink_dead");
        }
    }

    private HostileSink hanging(Callback where) {
        return HostileSink.with(Fault.hanging(gate), where).patience(PATIENCE);
    }

    private House house() throws IOException {
        String plugins = PluginFolder.naming(folder, SuppliedSinkProvider.class.getName());
        return House.with(folder, Map.of("RLM_PLUGINS", plugins, "RLM_SUPPLIED_ENABLED", "true"));
    }
}

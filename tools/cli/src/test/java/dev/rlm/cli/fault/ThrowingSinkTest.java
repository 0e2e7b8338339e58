package dev.rlm.cli.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.testkit.fault.Callback;
import dev.rlm.sinks.testkit.fault.Fault;
import dev.rlm.sinks.testkit.fault.Gate;
import dev.rlm.sinks.testkit.fault.HostileSink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A sink that throws exceptions: it is heard no more after ten in a row, and asked again each minute. */
@Tag("thorough")
@Timeout(120)
class ThrowingSinkTest {
    private static final Fault THROWS = Fault.throwing(() -> new IllegalStateException("no " + House.SECRET));

    @TempDir
    private Path folder;

    @Test
    void sink_thatThrowsAlways_isQuarantined() throws IOException {
        throwsIn(Callback.ON_EVENT);
    }

    @Test
    void sink_thatThrowsAtTheEndOfEachBatch_isQuarantined() throws IOException {
        throwsIn(Callback.ON_BATCH_END);
    }

    private void throwsIn(Callback where) throws IOException {
        HostileSink hostile = HostileSink.with(THROWS, where);
        try (House house = House.beside(folder, hostile)) {
            house.work();
            await().until(() -> house.ledger(House.HOSTILE).queued() == 0);
            await().until(
                            () -> { // ten batches in a row must fail, and how many there are is the lane's business
                                house.work();
                                return !house.status(House.HOSTILE).available();
                            });
            house.shut();

            house.isCompleteElsewhere();
            Ledger ledger = house.isBalanced(House.HOSTILE);
            assertThat(ledger.offered()).isEqualTo(house.memory().events().size());
            assertThat(ledger.delivered()).isZero();
            assertThat(ledger.dropped()).containsKey("sink_error");
            if (where == Callback.ON_EVENT) {
                assertThat(ledger.dropped()).containsEntry("sink_error", 10L).containsKey("quarantined");
                assertThat(hostile.calls(where)).isEqualTo(10);
            }
            house.saidOnce("IllegalStateException");
        }
    }

    @Test
    void sink_thatWorksAgain_isHeardAgain() throws IOException {
        Gate healed = new Gate();
        HostileSink hostile = HostileSink.with(THROWS.until(healed), Callback.ON_EVENT);
        try (House house = House.beside(folder, hostile)) {
            house.work();
            await().until(() -> house.ledger(House.HOSTILE).queued() == 0);
            healed.open();
            house.work();
            await().until(() -> house.ledger(House.HOSTILE).queued() == 0);
            assertThat(hostile.taken().events()).as("before the next probe").isEmpty();

            house.putClockForward(Duration.ofMinutes(2));
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            Ledger ledger = house.lostBy("sink_error", "quarantined");
            assertThat(ledger.delivered())
                    .isEqualTo(hostile.taken().events().size())
                    .isGreaterThan(Work.RUNS);
            house.saidOnce("IllegalStateException");
            assertThat(house.log().of(House.HOSTILE)).anyMatch(line -> line.contains("again"));
        }
    }

    /** Exceptions where no event is at stake cost nobody anything. */
    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"CREATE", "ON_EVENT", "ON_BATCH_END", "ACKNOWLEDGED"})
    void sink_thatThrowsElsewhere_hasAllEvents(Callback where) throws IOException {
        HostileSink hostile = HostileSink.with(THROWS, where);
        try (House house = House.beside(folder, hostile)) {
            house.work();
            assertThat(house.flush()).isEqualTo(where != Callback.FLUSH);
            assertThat(house.sinks().locations("job1-0")).containsKey("jsonl");
            assertThat(house.sinks().check(Duration.ofSeconds(5)))
                    .hasSize(house.sinks().statuses().size());
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            assertThat(house.lostBy().delivered())
                    .isEqualTo(hostile.taken().events().size());
            assertThat(hostile.calls(where)).isPositive();
            house.saidOnce("IllegalStateException");
        }
    }

    /** What nobody can say has arrived has not. */
    @Test
    void sink_thatCannotSayWhatArrived_hasDeliveredNothing() throws IOException {
        HostileSink hostile = HostileSink.with(THROWS, Callback.ACKNOWLEDGED);
        try (House house = House.beside(folder, hostile)) {
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            Ledger ledger = house.ledger(House.HOSTILE);
            assertThat(ledger.delivered()).isZero();
            assertThat(ledger.offered()).isEqualTo(ledger.droppedTotal() + ledger.queued());
            house.saidOnce("IllegalStateException");
        }
    }

    @Test
    void exception_thatCannotBeTold_isToldByItsClass() throws IOException {
        try (House house = House.beside(folder, HostileSink.with(Fault.unspeakable(), Callback.values()))) {
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            house.saidOnce("UnspeakableException");
        }
    }

    @Test
    void checkedException_isLikeAnyOther() throws IOException {
        Fault checked = Fault.throwing(() -> new IOException("checked"));
        try (House house = House.beside(folder, HostileSink.with(checked, Callback.ON_EVENT))) {
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            house.lostBy("sink_error", "quarantined");
            house.saidOnce("java.io.IOException: checked");
        }
    }
}

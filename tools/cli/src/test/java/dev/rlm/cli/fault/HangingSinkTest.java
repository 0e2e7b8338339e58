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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A sink that hangs for ever, heeding no interrupt. */
@Tag("thorough")
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD) // a thread that waits for a lock heeds no interrupt
class HangingSinkTest {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(20);

    private final Gate gate = new Gate();

    @TempDir
    private Path folder;

    @AfterEach
    void open() {
        gate.open();
    }

    @ParameterizedTest
    @EnumSource(names = {"ON_EVENT", "ON_BATCH_END"})
    void sink_thatHangsWithEvents_isGivenUp(Callback where) throws IOException {
        givenUp(HostileSink.with(Fault.hanging(gate), where));
    }

    /** Its other methods wait for the one that hangs: to ask it anything then is to hang. */
    @Test
    void sink_thatHangsWithItsLockHeld_isGivenUp() throws IOException {
        givenUp(HostileSink.with(Fault.hanging(gate), Callback.ON_EVENT).exclusive());
    }

    private void givenUp(HostileSink hostile) throws IOException {
        try (House house = House.beside(folder, hostile.patience(PATIENCE))) {
            house.work();
            house.sinks().locations("job1-0");
            await().atMost(LONG)
                    .untilAsserted(() ->
                            assertThat(house.ledger(House.HOSTILE).dropped()).containsKey("hung"));
            house.work();
            assertThat(house.status(House.HOSTILE).available()).isFalse();
            assertThat(house.flush()).isFalse();
            house.shut();

            house.isCompleteElsewhere();
            assertThat(house.lostBy("hung").delivered()).isZero();
            house.saidOnce("hang");
        }
    }

    @Test
    void sink_thatGoesOnAfterAll_isHeardAgain_andSaidSo() throws IOException {
        HostileSink hostile =
                HostileSink.with(Fault.hanging(gate), Callback.ON_EVENT).patience(PATIENCE);
        try (House house = House.beside(folder, hostile)) {
            house.work();
            await().atMost(LONG)
                    .untilAsserted(() ->
                            assertThat(house.ledger(House.HOSTILE).dropped()).containsKey("hung"));
            gate.open();
            await().atMost(LONG).until(() -> house.status(House.HOSTILE).available());
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            Ledger ledger = house.lostBy("hung");
            assertThat(ledger.delivered()).isPositive();
            assertThat(hostile.taken().events()).hasSizeGreaterThanOrEqualTo((int) ledger.delivered());
            assertThat(house.log().of(House.HOSTILE)).anyMatch(line -> line.contains("goes on"));
        }
    }

    /** The process has not the time to find out that it hangs. */
    @ParameterizedTest
    @EnumSource(names = {"ON_EVENT", "ON_BATCH_END"})
    void sink_thatHangsWhenTheJobIsOver_isLeftBehind(Callback where) throws IOException {
        HostileSink hostile = HostileSink.with(Fault.hanging(gate), where);
        try (House house = House.beside(folder, hostile)) {
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            Ledger ledger = house.lostBy("hung");
            assertThat(ledger.delivered()).isZero();
        }
    }

    @Test
    void sink_thatHangsInItsFlush_hasWhatItHad() throws IOException {
        HostileSink hostile =
                HostileSink.with(Fault.hanging(gate), Callback.FLUSH).patience(PATIENCE);
        try (House house = House.beside(folder, hostile)) {
            house.work();
            await().until(() -> house.ledger(House.HOSTILE).queued() == 0);
            assertThat(house.sinks().flush(Duration.ofSeconds(3)).isComplete()).isFalse();
            house.shut();

            house.isCompleteElsewhere();
            house.lostBy();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BEGIN_CLOSE", "CLOSE"})
    void sink_thatHangsInItsClose_isLeftBehindWithAllEvents(Callback where) throws IOException {
        try (House house = House.beside(folder, HostileSink.with(Fault.hanging(gate), where))) {
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            house.lostBy();
            house.saidOnce(where == Callback.CLOSE ? "close" : "beginClose");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"STATUS", "CHECK", "RECORD_PATH", "LOCATION", "TRACE_CONTEXT"})
    void sink_thatHangsWhereverItIsAsked_hasAllEvents(Callback where) throws IOException {
        try (House house = House.beside(folder, HostileSink.with(Fault.hanging(gate), where))) {
            house.work();
            house.sinks().locations("job1-0");
            assertThat(house.sinks().check(Duration.ofSeconds(2)))
                    .filteredOn(status -> status.name().equals(House.HOSTILE))
                    .allMatch(status -> status.available() == (where != Callback.CHECK));
            assertThat(house.flush()).isTrue();
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            house.lostBy();
        }
    }

    @Test
    void sink_thatHangsWhenAskedWhatArrived_hasDeliveredNothing() throws IOException {
        try (House house = House.beside(folder, HostileSink.with(Fault.hanging(gate), Callback.ACKNOWLEDGED))) {
            house.work();
            house.sinks().statuses();
            house.shut();

            house.isCompleteElsewhere();
            Ledger ledger = house.ledger(House.HOSTILE);
            assertThat(ledger.delivered()).isZero();
            assertThat(ledger.offered()).isEqualTo(ledger.droppedTotal() + ledger.queued());
        }
    }

    /** The house must be built, and the sink has a lane or none. */
    @ParameterizedTest
    @EnumSource(names = {"ACCEPTS", "IS_DURABLE", "PATIENCE"})
    void sink_thatHangsWhenItIsAdded_harmsNobody(Callback where) throws IOException {
        try (House house = House.beside(folder, HostileSink.with(Fault.hanging(gate), where))) {
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            house.isBalanced(House.HOSTILE);
        }
    }

    /** A scope has to be opened on the runner's own thread: where that takes long, it is not tried again. */
    @Test
    void sink_whoseScopesTakeLong_opensNoMore() throws IOException {
        HostileSink hostile = HostileSink.with(Fault.slow(Duration.ofMillis(500)), Callback.OPEN_SCOPE);
        try (House house = House.beside(folder, hostile)) {
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            house.lostBy();
            assertThat(hostile.calls(Callback.OPEN_SCOPE)).isLessThan(Work.RUNS);
        }
    }
}

package dev.rlm.cli.fault;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.io.TempDir;

/** Sinks that neither throw nor hang, and yet do not do as they should. */
@Timeout(120)
class OddSinkTest {
    private final Gate gate = new Gate();

    @TempDir
    private Path folder;

    @AfterEach
    void open() {
        gate.open();
    }

    @Tag("thorough")
    @Test
    void sink_thatAnswersNull_hasAllEvents() throws IOException {
        HostileSink hostile = HostileSink.answeringNull();
        try (House house = House.beside(folder, hostile)) {
            house.work();
            house.sinks().locations("job1-0");
            house.sinks().check(Duration.ofSeconds(5));
            assertThat(house.flush()).isTrue();
            house.shut();

            house.isCompleteElsewhere();
            assertThat(house.lostBy().delivered())
                    .isEqualTo(hostile.taken().events().size());
            house.saidOnce("null");
        }
    }

    @Tag("thorough")
    @Tag("smoke")
    @Test
    void sink_thatIsSlow_isWaitedForAndNotTakenToHang() throws IOException {
        HostileSink hostile = HostileSink.with(Fault.slow(Duration.ofMillis(1)), Callback.ON_EVENT)
                .patience(Duration.ofSeconds(1));
        try (House house = House.beside(folder, hostile)) {
            house.work();
            assertThat(house.flush()).isTrue();
            house.shut();

            house.isCompleteElsewhere();
            house.lostBy();
            assertThat(house.log().of(House.HOSTILE)).isEmpty();
        }
    }

    /** What the hub cannot hand over in its time it counts. */
    @Tag("thorough")
    @Test
    void sink_thatIsSlowerThanTheClose_losesWhatIsLeft() throws IOException {
        HostileSink hostile = HostileSink.with(Fault.slow(Duration.ofMillis(100)), Callback.ON_EVENT);
        try (House house = House.beside(folder, hostile)) {
            house.work();
            house.sinks().close(Duration.ofSeconds(2));

            house.isCompleteElsewhere();
            long known = house.ledger(House.HOSTILE).delivered()
                    + house.ledger(House.HOSTILE).droppedTotal();
            assertThat(known + house.ledger(House.HOSTILE).queued())
                    .isEqualTo(house.memory().events().size());
            assertThat(house.log().of(House.HOSTILE)).isNotEmpty();
        }
    }

    @Test
    void sink_thatLeaksThreads_hasAllEvents() throws IOException {
        HostileSink hostile = HostileSink.with(Fault.leakingThreads(gate).times(50), Callback.ON_EVENT);
        try (House house = House.beside(folder, hostile)) {
            house.work();
            assertThat(house.flush()).isTrue();
            house.shut();

            house.isCompleteElsewhere();
            house.lostBy();
        }
    }
}

package dev.rlm.cli.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.testkit.InMemorySink;
import dev.rlm.sinks.testkit.fault.Callback;
import dev.rlm.sinks.testkit.fault.Fault;
import dev.rlm.sinks.testkit.fault.HostileSink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A sink that calls back into the hub by which it is called, on the thread on which it is called. */
@Timeout(120)
class CallingSinkTest {
    private static final int CALLS = 5;
    private static final Duration LONG = Duration.ofSeconds(50);

    @TempDir
    private Path folder;

    @Test
    void sink_thatRecordsRunsOfItsOwn_mayDoSo() throws IOException {
        HostileSink calling = HostileSink.with(((Fault) this::recordRun).times(CALLS), Callback.ON_EVENT);
        try (House house = lived(calling)) {
            house.work();
            assertThat(house.flush()).isTrue();
            house.shut();

            assertThat(house.lostBy().offered()).isPositive();
            house.isBalanced("jsonl");
            assertThat(house.ledger("jsonl").dropped()).isEmpty();
            assertThat(house.events(RunStarted.class))
                    .filteredOn(start -> start.run().environment().equals("own"))
                    .hasSize(CALLS);
            house.journaled();
        }
    }

    private void recordRun() {
        try (Run run = house().sinks().startRun(RunSpec.builder("own").build())) {
            run.startStep().complete("of its own");
            run.complete("");
        }
    }

    @Test
    void sink_thatGivesRewards_mayDoSo() throws IOException {
        Fault rewarding = () -> house().sinks().reward("job1-0", "critic", 0.5, List.of());
        HostileSink calling = HostileSink.with(rewarding.times(CALLS), Callback.ON_BATCH_END);
        try (House house = lived(calling)) {
            house.work();
            house.shut();

            Ledger ledger = house.isBalanced(House.HOSTILE);
            assertThat(ledger.dropped().keySet()).isSubsetOf("unknown_run");
            house.isBalanced("jsonl");
            house.isBalanced("otel");
            assertThat(house.events(RewardGiven.class))
                    .filteredOn(reward -> reward.source().equals("critic"))
                    .hasSizeLessThanOrEqualTo(CALLS);
            house.journaled();
        }
    }

    /** Where it waited for its own lane it would wait for ever. */
    @ParameterizedTest
    @EnumSource(names = {"ON_EVENT", "ON_BATCH_END", "FLUSH"})
    void sink_thatFlushesTheHub_isNotWaitedFor(Callback where) throws IOException {
        Fault flushing = () -> house().sinks().flush(LONG);
        try (House house = lived(HostileSink.with(flushing.times(1), where))) {
            house.work();
            house.flush();
            house.shut();

            house.isCompleteElsewhere();
            house.lostBy();
        }
    }

    @Tag("thorough")
    @Tag("smoke")
    @Test
    void sink_thatAsksHowAllStand_isAnswered() throws IOException {
        Fault asking = () -> {
            house().sinks().statuses();
            house().sinks().locations("job1-0");
        };
        HostileSink calling =
                HostileSink.with(asking.times(CALLS), Callback.ON_EVENT, Callback.ON_BATCH_END, Callback.CLOSE);
        try (House house = lived(calling)) {
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            house.lostBy();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ON_EVENT", "ON_BATCH_END", "FLUSH"})
    void sink_thatTakesItselfAway_isGone(Callback where) throws IOException {
        Fault leaving = () -> house().sinks().remove(House.HOSTILE);
        try (House house = lived(HostileSink.with(leaving.times(1), where))) {
            house.work();
            house.flush();
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            assertThat(house.sinks().statuses()).extracting(SinkStatus::name).doesNotContain(House.HOSTILE);
        }
    }

    @Tag("thorough")
    @Test
    void sink_thatAddsAnother_hasIt() throws IOException {
        InMemorySink another = new InMemorySink();
        Fault adding = () -> house().sinks().add("another", another);
        try (House house = lived(HostileSink.with(adding.times(1), Callback.ON_EVENT))) {
            house.work();
            assertThat(house.flush()).isTrue();
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            house.lostBy();
            assertThat(another.events(RunStarted.class)).hasSizeGreaterThanOrEqualTo(Work.RUNS);
        }
    }

    @Test
    void sink_thatClosesItself_hasAllEventsAllTheSame() throws IOException {
        HostileSink closing = HostileSink.with(() -> {});
        try (House house = lived(closing.and(closing::close, Callback.ON_EVENT, Callback.ON_BATCH_END))) {
            house.work();
            house.shut();

            house.isCompleteElsewhere();
            assertThat(house.lostBy().delivered())
                    .isEqualTo(closing.taken().events().size());
        }
    }

    /** From then on nothing is recorded, which the ledgers tell; the job goes on. */
    @ParameterizedTest
    @EnumSource(names = {"ON_EVENT", "ON_BATCH_END"})
    void sink_thatClosesTheHub_costsTheRecordAndNotTheJob(Callback where) throws IOException {
        Fault closing = () -> house().sinks().close();
        try (House house = lived(HostileSink.with(closing.times(1), where))) {
            house.work();
            house.shut();

            for (String name : List.of(House.HOSTILE, "jsonl", "otel", "memory")) {
                Ledger ledger = house.isBalanced(name);
                assertThat(ledger.dropped().keySet()).as(name).isSubsetOf("closed", "after_end");
            }
            house.journaled();
        }
    }

    private House lived;

    private House lived(HostileSink hostile) throws IOException {
        lived = House.beside(folder, hostile);
        return lived;
    }

    private House house() {
        return lived;
    }
}

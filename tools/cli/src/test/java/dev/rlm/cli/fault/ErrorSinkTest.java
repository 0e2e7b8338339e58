package dev.rlm.cli.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.testkit.fault.Callback;
import dev.rlm.sinks.testkit.fault.Fault;
import dev.rlm.sinks.testkit.fault.HostileSink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A sink that throws errors: its lane has another thread three times, and then it is dead. */
@Timeout(120)
class ErrorSinkTest {
    @TempDir
    private Path folder;

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource
    void sink_thatThrowsErrorsAlways_isDead(Kind kind) throws IOException {
        try (House house = House.beside(folder, HostileSink.with(kind.fault, Callback.ON_EVENT))) {
            house.work();
            await().untilAsserted(() ->
                    assertThat(house.ledger(House.HOSTILE).dropped()).containsKey("sink_dead"));
            house.work();
            assertThat(house.status(House.HOSTILE).available()).isFalse();
            assertThat(house.flush()).isFalse();
            house.shut();

            house.isCompleteElsewhere();
            assertThat(house.lostBy("sink_error", "sink_dead").delivered()).isZero();
            house.said(kind.words, 3); // for each new thread
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource
    void sink_thatThrowsErrorsTwice_goesOn(Kind kind) throws IOException {
        HostileSink hostile = HostileSink.with(kind.fault.times(2), Callback.ON_EVENT);
        try (House house = House.beside(folder, hostile)) {
            house.work();
            await().until(() -> house.ledger(House.HOSTILE).queued() == 0);
            house.work();
            assertThat(house.status(House.HOSTILE).available()).isTrue();
            house.shut();

            house.isCompleteElsewhere();
            Ledger ledger = house.lostBy("sink_error");
            assertThat(ledger.delivered()).isEqualTo(ledger.offered() - ledger.lost());
            assertThat(hostile.taken().events()).hasSize((int) ledger.offered() - 2);
            house.said(kind.words, 2); // for each new thread
        }
    }

    /** Wherever else it is asked, its errors stay there. */
    @ParameterizedTest
    @EnumSource
    void sink_thatThrowsErrorsWhereverItIsAsked_harmsNobody(Kind kind) throws IOException {
        Callback[] asked = {
            Callback.STATUS,
            Callback.CHECK,
            Callback.RECORD_PATH,
            Callback.LOCATION,
            Callback.TRACE_CONTEXT,
            Callback.OPEN_SCOPE,
            Callback.ACCEPTS,
            Callback.IS_DURABLE,
            Callback.PATIENCE,
            Callback.BEGIN_CLOSE,
            Callback.CLOSE
        };
        try (House house = House.beside(folder, HostileSink.with(kind.fault, asked))) {
            house.work();
            assertThat(house.flush()).isTrue();
            house.sinks().check(Duration.ofSeconds(5));
            house.sinks().locations("job1-0");
            house.shut();

            house.isCompleteElsewhere();
            house.lostBy();
            house.saidOnce(kind.words);
        }
    }

    private enum Kind {
        OUT_OF_MEMORY(Fault.outOfMemory(), "OutOfMemoryError"),
        STACK_OVERFLOW(Fault.stackOverflow(), "StackOverflowError"),
        MISSING_CLASS(Fault.missingClass(), "NoClassDefFoundError");

        @SuppressWarnings("ImmutableEnumChecker") // a function
        private final Fault fault;

        private final String words;

        Kind(Fault fault, String words) {
            this.fault = fault;
            this.words = words;
        }
    }
}

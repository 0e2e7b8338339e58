package dev.rlm.sinks.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

@Timeout(60)
class HostileSinkTest {
    private static final List<Event> EVENTS = Events.full("r");
    private static final Event EVENT = EVENTS.get(0);

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "CREATE")
    void fault_strikesInItsCallbackAlone(Callback where) {
        HostileSink sink = HostileSink.with(Fault.throwing(() -> new IOException("checked")), where);

        calls(sink).forEach((callback, call) -> {
            if (callback == where) {
                assertThatThrownBy(call::run).isInstanceOf(IOException.class);
            } else {
                assertThatCode(call::run).doesNotThrowAnyException();
            }
            assertThat(sink.calls(callback)).isEqualTo(1);
        });
        assertThat(sink.taken().events()).hasSize(where == Callback.ON_EVENT ? 0 : 1);
    }

    @Test
    void errors_areRealOnes() {
        assertThatThrownBy(Fault.outOfMemory()::strike).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(Fault.stackOverflow()::strike).isInstanceOf(StackOverflowError.class);
        assertThatThrownBy(Fault.missingClass()::strike).isInstanceOf(LinkageError.class);
    }

    @Test
    void unspeakableException_throwsWhenItIsAsked() {
        try {
            Fault.unspeakable().strike();
        } catch (Throwable e) {
            assertThatThrownBy(e::toString).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(e::getMessage).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void fault_mayStrikeSoManyTimes_orUntilAGateIsOpen() {
        HostileSink twice =
                HostileSink.with(Fault.throwing(IllegalStateException::new).times(2), Callback.ON_EVENT);
        assertThatThrownBy(() -> twice.onEvent(EVENT)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> twice.onEvent(EVENT)).isInstanceOf(IllegalStateException.class);
        twice.onEvent(EVENT);
        assertThat(twice.taken().events()).containsExactly(EVENT);

        Gate healed = new Gate();
        HostileSink ill =
                HostileSink.with(Fault.throwing(IllegalStateException::new).until(healed), Callback.ON_EVENT);
        assertThatThrownBy(() -> ill.onEvent(EVENT)).isInstanceOf(IllegalStateException.class);
        healed.open();
        ill.onEvent(EVENT);
        assertThat(ill.taken().events()).containsExactly(EVENT);
    }

    @Test
    void hangingSink_heedsNoInterrupt_andHoldsItsLockWhereItIsExclusive() throws InterruptedException {
        Gate gate = new Gate();
        HostileSink sink =
                HostileSink.with(Fault.hanging(gate), Callback.ON_EVENT).exclusive();
        boolean[] interrupted = new boolean[1];
        Thread hanging = new Thread(() -> {
            sink.onEvent(EVENT);
            interrupted[0] = Thread.currentThread().isInterrupted();
        });
        hanging.start();
        await().until(() -> gate.waiting() == 1);
        hanging.interrupt();
        Thread asking = new Thread(sink::status);
        asking.start();
        await().until(() -> asking.getState() == Thread.State.BLOCKED);

        gate.open();
        hanging.join();
        asking.join();

        assertThat(interrupted[0]).isTrue();
        assertThat(gate.waiting()).isZero();
        assertThat(sink.taken().events()).containsExactly(EVENT);
    }

    @Test
    void provider_makesWhatItsVariablesSay() {
        Sink sink = made(Map.of(
                "RLM_HOSTILE_FAULT", "stack_overflow",
                "RLM_HOSTILE_IN", "flush, close",
                "RLM_HOSTILE_TIMES", "1",
                "RLM_HOSTILE_PATIENCE", "2s"));

        assertThatCode(() -> sink.onEvent(EVENT)).doesNotThrowAnyException();
        assertThatThrownBy(() -> sink.flush(Duration.ZERO)).isInstanceOf(StackOverflowError.class);
        assertThatCode(sink::close).doesNotThrowAnyException();
        assertThat(sink.patience()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void provider_mayFailItself_andKnowsItsWords() {
        assertThatThrownBy(() -> made(Map.of("RLM_HOSTILE_IN", "create"))).hasMessage("hostile");
        assertThatThrownBy(() -> made(Map.of("RLM_HOSTILE_FAULT", "smile")))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("RLM_HOSTILE_FAULT");
        assertThatThrownBy(() -> made(Map.of("RLM_HOSTILE_IN", "on_event,nowhere")))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("RLM_HOSTILE_IN");
    }

    private static Sink made(Map<String, String> variables) {
        return new HostileSinkProvider().create(SinkConfig.of(variables).sink("hostile"));
    }

    /** A call of each callback. */
    private static Map<Callback, Runnable> calls(Sink sink) {
        RunInfo run = Events.full("r", RunStarted.class).run();
        Map<Callback, Runnable> calls = new EnumMap<>(Callback.class);
        calls.put(Callback.ON_EVENT, () -> sink.onEvent(EVENT));
        calls.put(Callback.ON_BATCH_END, sink::onBatchEnd);
        calls.put(Callback.FLUSH, () -> sink.flush(Duration.ZERO));
        calls.put(Callback.BEGIN_CLOSE, () -> sink.beginClose(Duration.ZERO));
        calls.put(Callback.CLOSE, sink::close);
        calls.put(Callback.STATUS, sink::status);
        calls.put(Callback.CHECK, () -> sink.check(Duration.ZERO));
        calls.put(Callback.ACKNOWLEDGED, sink::acknowledged);
        calls.put(Callback.ACCEPTS, () -> sink.accepts(EVENT.type()));
        calls.put(Callback.IS_DURABLE, sink::isDurable);
        calls.put(Callback.PATIENCE, sink::patience);
        calls.put(Callback.RECORD_PATH, sink::recordPath);
        calls.put(Callback.LOCATION, () -> sink.location("r"));
        calls.put(Callback.TRACE_CONTEXT, () -> sink.traceContext(Place.of(run)));
        calls.put(Callback.OPEN_SCOPE, () -> sink.openScope(Place.of(run)).close());
        return calls;
    }
}

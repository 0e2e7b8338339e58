package dev.rlm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Work that is told to stop, and what tells it and waits. */
@Timeout(60)
class InterruptionTest {
    private final Signal signal = new Signal();
    private final Console console = new Console(
            InputStream.nullInputStream(),
            new PrintWriter(new StringWriter()),
            new PrintWriter(new StringWriter()),
            false,
            "rlm",
            signal);
    private final AtomicInteger stopped = new AtomicInteger();

    @Test
    void signal_stopsTheWork_andWaitsUntilItHasEnded() throws Exception {
        Thread hook;
        try (Interruption interruption = new Interruption(console, stopped::incrementAndGet)) {
            assertThat(interruption.wasTold()).isFalse();
            hook = signal.send();
            await("that it is told").until(interruption::wasTold);
            await("that the signal waits").until(() -> hook.getState() == Thread.State.TIMED_WAITING);
            assertThat(stopped).hasValue(1);
        }
        hook.join(Duration.ofSeconds(50).toMillis());
        assertThat(hook.isAlive()).isFalse();
    }

    @Test
    void workThatDoesNotEnd_isWaitedForNoLongerThanItHas() throws Exception {
        try (Interruption interruption = new Interruption(console, stopped::incrementAndGet, Duration.ofMillis(1))) {
            assertThat(Interruption.time()).isEqualTo(Duration.ofMillis(1));
            Thread hook = signal.send();
            hook.join();
            assertThat(interruption.wasTold()).isTrue();
        }
    }

    @Test
    void partOfTheWork_isWhatStops_andIsNotToldTwice() throws Exception {
        AtomicInteger next = new AtomicInteger();
        try (Interruption interruption = new Interruption(console, stopped::incrementAndGet, Duration.ofMillis(1))) {
            assertThat(interruption.nowStops(next::incrementAndGet)).isTrue();
            signal.send().join();
            assertThat(interruption.nowStops(next::incrementAndGet)).isFalse();
        }
        assertThat(next).hasValue(1);
        assertThat(stopped).hasValue(0);
    }

    @Test
    void workThatHasEnded_hearsOfNoSignal() {
        new Interruption(console, stopped::incrementAndGet).close();
        assertThat(signal.hooks).isEmpty();
    }

    /** A signal that the test sends. */
    private static final class Signal implements StopSignal {
        private final List<Thread> hooks = new ArrayList<>();
        private @Nullable Thread sent;

        @Override
        public void add(Thread hook) {
            hooks.add(hook);
        }

        @Override
        public void remove(Thread hook) {
            if (sent != null) {
                throw new IllegalStateException("the end has come");
            }
            hooks.remove(hook);
        }

        Thread send() {
            Thread hook = hooks.get(0);
            sent = hook;
            hook.start();
            return hook;
        }
    }
}

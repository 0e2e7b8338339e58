package dev.rlm.sinks.core;

import static dev.rlm.sinks.core.Faults.LONG;
import static dev.rlm.sinks.core.Faults.assertAtRest;
import static dev.rlm.sinks.core.Faults.ledger;
import static dev.rlm.sinks.core.Faults.publish;
import static dev.rlm.sinks.core.Faults.status;
import static dev.rlm.sinks.core.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sinks that hang and of which another one is made. */
@Timeout(120) // who waits for one of them waits for ever
class ReplacedSinkTest {
    @RegisterExtension
    private final Faults faults = new Faults();

    /** Makes sinks that hang, as many as it is told to, and then one that works. */
    private static final class Factory implements Supplier<Sink> {
        final List<GatedSink> made = new CopyOnWriteArrayList<>();
        private final int hanging;

        Factory(int hanging) {
            this.hanging = hanging;
        }

        @Override
        public Sink get() {
            GatedSink sink = new GatedSink(false);
            made.add(sink);
            if (made.size() > hanging) {
                sink.open();
            }
            return sink;
        }
    }

    @Tag("thorough")
    @Tag("smoke")
    @Test
    void hangingSink_isReplacedByANewOne_andClosedWhenItComesBack() {
        Factory factory = new Factory(1);
        try (Sinks sinks = faults.hub().add("hanging", factory).build()) {
            publish(sinks, 1);
            factory.made.get(0).awaitEntered();
            publish(sinks, 7);
            await().atMost(LONG).until(() -> faults.passUntil(factory.made.size() == 2));
            publish(sinks, 2);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertAtRest(sinks, "hanging", 9, Map.of("hung", 1L));
            assertThat(factory.made.get(1).events()).hasSize(9);
            assertThat(sinks.get("hanging")).containsSame(factory.made.get(1));
            assertThat(factory.made.get(0).isClosed()).isFalse();

            factory.made.get(0).open();
            await().until(factory.made.get(0)::isClosed);
            publish(sinks, 1);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertAtRest(sinks, "hanging", 10, Map.of("hung", 1L));
            assertThat(factory.made.get(0).events()).hasSize(1);
        }
        assertThat(factory.made.get(1).isClosed()).isTrue();
        assertThat(faults.said("hanging"))
                .containsExactly("hangs in onEvent: it is replaced by a new one", "1 events dropped in all: {hung=1}");
    }

    @Tag("thorough")
    @Test
    void secrets_ofAReplacementToo_areRedacted() {
        GatedSink first = new GatedSink(false) {
            @Override
            public Collection<String> secrets() {
                return List.of("the-first-secret");
            }
        };
        Recorder second = new Recorder() {
            @Override
            public Collection<String> secrets() {
                return List.of("the-second-secret");
            }
        };
        Iterator<Sink> made = List.<Sink>of(first, second).iterator();
        try (Sinks sinks = faults.hub().add("hanging", made::next).build()) {
            String text = "the-first-secret and the-second-secret";
            assertThat(sinks.content(text).text())
                    .doesNotContain("the-first-secret")
                    .contains("the-second-secret");
            publish(sinks, 1);
            first.awaitEntered();
            await().atMost(LONG)
                    .until(() -> faults.passUntil(
                            sinks.get("hanging").filter(sink -> sink == second).isPresent()));
            assertThat(sinks.content(text).text())
                    .doesNotContain("the-first-secret")
                    .doesNotContain("the-second-secret");
            first.open();
        }
    }

    @Tag("thorough")
    @Test
    void replacement_thatHangsToo_isGivenUp() {
        Factory factory = new Factory(2);
        try (Sinks sinks = faults.hub().add("hanging", factory).build()) {
            publish(sinks, 5);
            faults.awaitHung(sinks, "hangs in onEvent");
            await().atMost(LONG)
                    .until(() -> faults.passUntil(ledger(sinks, "hanging").queued() == 0));
            assertThat(factory.made).hasSize(2);
            assertAtRest(sinks, "hanging", 0, Map.of("hung", 5L));
            factory.made.forEach(GatedSink::open);
            await().until(() -> status(sinks, "hanging").available());
            publish(sinks, 1);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertThat(ledger(sinks, "hanging").delivered()).isEqualTo(1);
        }
        await().until(factory.made.get(0)::isClosed);
        assertThat(factory.made.get(1).isClosed()).isTrue();
    }

    @Tag("thorough")
    @Test
    void replacement_thatCannotBeMade_isTheEnd() {
        GatedSink first = new GatedSink(false);
        AtomicInteger asked = new AtomicInteger();
        Supplier<Sink> factory = () -> {
            if (asked.incrementAndGet() > 1) {
                throw new IllegalStateException("no more of them");
            }
            return first;
        };
        try (Sinks sinks = faults.hub().add("hanging", factory).build()) {
            publish(sinks, 5);
            faults.awaitHung(sinks, "is being replaced");
            await().atMost(LONG).until(() -> status(sinks, "hanging").detail(), detail -> detail.startsWith("dead"));
            assertThat(status(sinks, "hanging").detail())
                    .isEqualTo("dead after 4 errors, the last: java.lang.IllegalStateException: no more of them");
            assertThat(asked).hasValue(5);
            assertThat(ledger(sinks, "hanging").queued()).isZero();
            assertThat(ledger(sinks, "hanging").dropped()).containsOnlyKeys("hung", "sink_dead");
            first.open();
        }
        await().until(first::isClosed);
    }

    @Tag("thorough")
    @Test
    void replacement_whoseMakingHangs_isGivenUp_andGoesOnWhenItIsThere() {
        GatedSink first = new GatedSink(false);
        Recorder second = new Recorder();
        AtomicInteger asked = new AtomicInteger();
        Supplier<Sink> factory = () -> {
            if (asked.incrementAndGet() > 1) {
                Threads.await(faults.never);
                return second;
            }
            return first;
        };
        try (Sinks sinks = faults.hub().add("hanging", factory).build()) {
            publish(sinks, 5);
            faults.awaitHung(sinks, "hangs in its making");
            assertThat(ledger(sinks, "hanging")).isEqualTo(Ledger.of(5, 0, Map.of("hung", 5L)));
            faults.never.countDown();
            await().until(() -> status(sinks, "hanging").available());
            publish(sinks, 1);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertThat(second.events()).hasSize(1);
            assertAtRest(sinks, "hanging", 1, Map.of("hung", 5L));
            first.open();
        }
    }

    @Test
    void sink_thatCannotBeMadeAtAll_becomesAStatus() {
        Supplier<Sink> factory = () -> {
            throw new NoClassDefFoundError("com/example/Missing");
        };
        Recorder other = new Recorder();
        try (Sinks sinks =
                faults.hub().add("missing", factory).add("other", other).build()) {
            publish(sinks, 1);
            assertThat(status(sinks, "missing").available()).isFalse();
            assertThat(status(sinks, "missing").detail()).contains("com/example/Missing");
        }
        assertThat(other.events()).hasSize(1);
    }

    @Test
    void sink_whoseMakingFailsForACauseThatIsItsOwn_becomesAStatus() {
        Supplier<Sink> factory = () -> {
            IllegalStateException cause = new IllegalStateException("the cause");
            IllegalStateException error = new IllegalStateException("the error", cause);
            cause.initCause(error);
            throw error;
        };
        try (Sinks sinks = faults.hub().add("missing", factory).build()) {
            assertThat(status(sinks, "missing").detail()).startsWith("the error");
        }
    }
}

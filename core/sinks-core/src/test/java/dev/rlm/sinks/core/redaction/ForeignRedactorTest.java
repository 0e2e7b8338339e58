package dev.rlm.sinks.core.redaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Findings;
import dev.rlm.sinks.RedactionCounts;
import dev.rlm.sinks.Redactor;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.core.Waiting;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.redaction.Redaction;
import dev.rlm.sinks.redaction.RedactionOptions;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ForeignRedactorTest {
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LONG = Duration.ofSeconds(30);

    private static Redaction redaction(Duration time, Redactor... redactors) {
        return new Redaction(new RedactionOptions(true, Set.of(), List.of(redactors), time, time));
    }

    private static void findsPears(String text, Findings findings) {
        for (int i = text.indexOf("pear"); i >= 0; i = text.indexOf("pear", i + 1)) {
            findings.secret(i, i + 4, "fruit");
        }
    }

    public static final class Pears implements Redactor {
        @Override
        public void find(String text, Findings findings) {
            findsPears(text, findings);
        }
    }

    @Test
    void whatARedactorFinds_isReplacedByTheHub_inTextsAndNames() {
        AtomicReference<Thread> thread = new AtomicReference<>();
        try (Sinks sinks = Sinks.builder()
                .redactor((text, findings) -> {
                    thread.set(Thread.currentThread());
                    findsPears(text, findings);
                })
                .build()) {
            assertThat(sinks.content("a pear, pears").text()).matches("a (\\[REDACTED:fruit:[0-9a-f]{8}]), \\1s");
        }
        assertThat(thread.get()).isNotSameAs(Thread.currentThread()).matches(Thread::isDaemon);
        Redaction redaction = redaction(LONG, ForeignRedactorTest::findsPears);
        assertThat(redaction.name("pear")).startsWith("[REDACTED:fruit:");
        assertThat(redaction.name("apple")).isEqualTo("apple");
        assertThat(redaction.counts()).isEqualTo(new RedactionCounts(Map.of("fruit", 1L), 0, 0));
    }

    @Test
    void overlappingFindings_becomeOne_ofTheLongestKind() {
        Redaction redaction = redaction(LONG, (text, findings) -> {
            findings.secret(4, 8, "short");
            findings.secret(0, 5, "longer");
            findings.secret(8, 9, "next");
        });
        redaction.register("known", "abcdef");
        assertThat(redaction.text("01abcdef89"))
                .matches("\\[REDACTED:known:[0-9a-f]{8}]\\[REDACTED:next:[0-9a-f]{8}]9");
    }

    @Test
    void redactorThatThrows_costsTheText_whateverItThrows() {
        for (Throwable error : List.of(
                new IllegalStateException("pear"),
                new StackOverflowError(),
                new OutOfMemoryError(),
                new NoClassDefFoundError())) {
            Redaction redaction = redaction(LONG, (text, findings) -> {
                findsPears(text, findings);
                throw ForeignRedactorTest.<RuntimeException>unchecked(error);
            });
            assertThat(redaction.text("a pear")).isEqualTo(Content.FAILED);
            assertThat(redaction.text("")).isEqualTo(Content.FAILED);
            assertThat(redaction.name("an apple"))
                    .matches("\\[REDACTED:failed:[0-9a-f]{8}]")
                    .isEqualTo(redaction.name("an apple"))
                    .isNotEqualTo(redaction.name("a pear"));
            assertThat(redaction.counts()).isEqualTo(new RedactionCounts(Map.of(), 5, 0));
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> RuntimeException unchecked(Throwable error) throws E {
        throw (E) error;
    }

    @Test
    void findingsThatAreNone_costTheText() {
        for (Redactor redactor : List.<Redactor>of(
                (text, findings) -> findings.secret(-1, 1, "kind"),
                (text, findings) -> findings.secret(1, 1, "kind"),
                (text, findings) -> findings.secret(0, text.length() + 1, "kind"),
                (text, findings) -> findings.secret(0, 1, "No Kind"),
                (text, findings) -> findings.secret(0, 1, "k".repeat(25)))) {
            Redaction redaction = redaction(LONG, redactor);
            assertThat(redaction.text("text")).isEqualTo(Content.FAILED);
            assertThat(redaction.counts().failed()).isOne();
        }
    }

    @Test
    void redactorThatHangs_isGivenUp_andNotWaitedForAgain_untilItReturns() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch returned = new CountDownLatch(1);
        Redaction redaction = redaction(SHORT, (text, findings) -> {
            if (calls.incrementAndGet() == 1) {
                awaitUninterruptibly(gate);
                returned.countDown();
            }
        });
        assertThat(redaction.text("a pear")).isEqualTo(Content.FAILED);
        for (int i = 0; i < 100; i++) {
            assertThat(redaction.text("a pear")).isEqualTo(Content.FAILED);
        }
        assertThat(calls).hasValue(1);
        assertThat(redaction.counts()).isEqualTo(new RedactionCounts(Map.of(), 0, 101));
        gate.countDown();
        returned.await();
        Waiting.await().until(() -> redaction.text("a pear").equals("a pear"));
    }

    private static void awaitUninterruptibly(CountDownLatch gate) {
        while (true) {
            try {
                gate.await();
                return;
            } catch (InterruptedException e) {
                // as one does that hangs in a read
            }
        }
    }

    @Test
    void twoThreads_getEqualText() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        Redaction redaction = redaction(LONG, (text, findings) -> {
            try {
                both.await();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            findsPears(text, findings);
        });
        redaction.register("known", "swordfish-7");
        String text = "a pear, swordfish-7 and gh" + "p_" + "a1B2c3".repeat(6);
        CompletableFuture<String> other = CompletableFuture.supplyAsync(() -> redaction.text(text));
        assertThat(redaction.text(text)).isEqualTo(other.get()).doesNotContain("pear", "sword", "a1B2");
    }

    @Test
    void interrupt_isKept_andCostsNoText() {
        Redaction redaction = redaction(LONG, ForeignRedactorTest::findsPears);
        Thread.currentThread().interrupt();
        assertThat(redaction.text("apple")).isEqualTo("apple");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void longText_whoseEndFails_isDroppedWhole() {
        Redactor failing = (text, findings) -> {
            if (text.contains("tail")) {
                throw new IllegalStateException();
            }
        };
        try (Sinks sinks = Sinks.builder().redactor(failing).build()) {
            String text = "x".repeat(1_100_000) + "tail";
            assertThat(sinks.content(text).text()).isEqualTo(Content.FAILED);
        }
    }

    @Tag("thorough")
    @Test
    void redactors_areFoundOnTheClassPath_andOneThatCannotBeLoadedIsAnError(@TempDir Path folder) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Path file = services.resolve(Redactor.class.getName());
        Files.writeString(file, Pears.class.getName());
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
            Thread.currentThread().setContextClassLoader(loader);
            try (Sinks sinks = Sinks.builder()
                    .config(SinkConfig.of(Map.of()))
                    .only(List.of())
                    .build()) {
                assertThat(sinks.content("a pear").text()).startsWith("a [REDACTED:fruit:");
            }
            Files.writeString(file, "no.such.Redactor");
            Sinks.Builder broken =
                    Sinks.builder().config(SinkConfig.of(Map.of())).only(List.of());
            assertThatThrownBy(broken::build)
                    .isInstanceOf(SinkConfigException.class)
                    .hasMessageContainingAll("a redactor cannot be loaded", "no.such.Redactor", "RLM_REDACT=false");
            Files.writeString(file, Stuck.class.getName());
            assertThatThrownBy(broken::build)
                    .isInstanceOf(SinkConfigException.class)
                    .hasMessageContainingAll("a redactor cannot be loaded", "it was not made in 10 s");
            Sinks.builder()
                    .config(SinkConfig.of(Map.of("RLM_REDACT", "off")))
                    .only(List.of())
                    .build()
                    .close();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** Whose making never ends. */
    public static final class Stuck implements Redactor {
        public Stuck() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @Override
        public void find(String text, Findings findings) {}
    }

    @Test
    void counts_tellWhatWasFound() {
        Redaction redaction = redaction(LONG);
        redaction.registerVariable("A_TOKEN", "swordfish-7");
        redaction.register(Redaction.REGISTERED, "swordfish-8");
        redaction.text("swordfish-7 swordfish-8 swordfish-7 " + "gh" + "p_" + "a1B2c3".repeat(6));
        redaction.text("nothing");
        assertThat(redaction.counts().secrets()).isEqualTo(Map.of("env", 2L, "registered", 1L, "github-token", 1L));
        assertThat(redaction.counts().secrets().keySet()).isEqualTo(Set.of("env", "registered", "github-token"));
    }
}

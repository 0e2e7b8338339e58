package dev.rlm.sinks.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ContentTest {
    @Test
    void redaction_happensOnce_onTheReadersThread() {
        AtomicInteger calls = new AtomicInteger();
        AtomicReference<Thread> reader = new AtomicReference<>();
        Content content = Content.of("raw", text -> {
            calls.incrementAndGet();
            reader.set(Thread.currentThread());
            return text + "!";
        });

        assertThat(content.weight()).isEqualTo(3);
        assertThat(calls).hasValue(0);
        CompletableFuture.runAsync(() -> assertThat(content.text()).isEqualTo("raw!"))
                .join();
        assertThat(reader.get()).isNotSameAs(Thread.currentThread());
        assertThat(content.text()).isEqualTo("raw!");
        assertThat(content.length()).isEqualTo(4);
        assertThat(content).hasToString("raw!").isEqualTo(Content.redacted("raw!"));
        assertThat(calls).hasValue(1);
        assertThat(content.weight()).isEqualTo(3);
    }

    @Test
    void textThatIsToldAgain_isHeldAndRedactedOnce() {
        AtomicInteger calls = new AtomicInteger();
        Content first = Content.of("raw", text -> text + calls.incrementAndGet());
        Content again = first.again().again();
        assertThat(again.isAgain()).isTrue();
        assertThat(first.isAgain()).isFalse();
        assertThat(again.weight()).isEqualTo(3);
        assertThat(again).isEqualTo(first);
        assertThat(again.text()).isEqualTo("raw1").isSameAs(first.text());
        assertThat(calls).hasValue(1);
        assertThat(Content.EMPTY.again()).isSameAs(Content.EMPTY);
    }

    @Test
    void text_readByTwoAtOnce_isTheSame() {
        CyclicBarrier both = new CyclicBarrier(2);
        Content content = Content.of("raw", text -> {
            try {
                both.await();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return text + "!";
        });

        CompletableFuture<String> other = CompletableFuture.supplyAsync(content::text);
        assertThat(content.text()).isEqualTo("raw!");
        assertThat(other.join()).isEqualTo("raw!");
        assertThat(content.text()).isEqualTo("raw!");
    }

    @Test
    void redactionThatFails_givesNothingAway() {
        Content content = Content.of("raw", text -> {
            throw new StackOverflowError();
        });

        assertThat(content.text()).isEqualTo(Content.FAILED);
        assertThat(content.text()).isEqualTo(Content.FAILED);
    }

    @Test
    void preview_cutsByCodePoint() {
        assertThat(Content.redacted("abc").preview(3)).isEqualTo("abc");
        assertThat(Content.redacted("abc").preview(2)).isEqualTo("ab");
        assertThat(Content.redacted("abc").preview(0)).isEmpty();
        assertThat(Content.redacted("😀😀😀").preview(2)).isEqualTo("😀😀");
        assertThat(Content.redacted("😀😀😀").preview(3)).isEqualTo("😀😀😀");
        assertThat(Content.redacted("a😀b").preview(1)).isEqualTo("a");
        assertThat(Content.redacted("a😀b").preview(2)).isEqualTo("a😀");
        assertThat(Content.redacted("\uD83Dab\uDE00").preview(2)).isEqualTo("\uFFFDa");
        assertThat(Content.redacted("x".repeat(2000)).preview(1000)).hasSize(1000);
    }

    @Test
    void halvesOfPairs_thatStandAlone_areReplaced() {
        String broken = "a\uD83Db\uDE00\uDE00😀\uD83D";
        String whole = "a\uFFFDb\uFFFD\uFFFD😀\uFFFD";

        assertThat(Content.redacted(broken).text()).isEqualTo(whole);
        assertThat(Content.of(broken, text -> text).text()).isEqualTo(whole);
        assertThat(Content.of("x", text -> broken).sha256())
                .isEqualTo(Content.redacted(whole).sha256());
        assertThat(Content.wellFormed("a😀")).isEqualTo("a😀");
    }

    @Test
    void hash_isOfTheRedactedText() {
        assertThat(Content.of("secret", text -> "abc").sha256())
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    @Test
    void text_inWhichASecretStood_saysSo() {
        assertThat(Content.of("a key", text -> "a [REDACTED:env:01234567]").isRedacted())
                .isTrue();
        assertThat(Content.redacted(Content.FAILED).isRedacted()).isTrue();
        assertThat(Content.redacted("a [key]").isRedacted()).isFalse();
    }

    @Test
    void emptyText_isEmpty() {
        assertThat(Content.of("", text -> "never asked").isEmpty()).isTrue();
        assertThat(Content.of("x", text -> "").isEmpty()).isTrue();
        assertThat(Content.redacted("x").isEmpty()).isFalse();
    }
}

package dev.rlm.sinks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SurroundingsTest {
    private static final long SEED = 20_261_123;

    /** Each documented form, planted in the surrounding. */
    @ParameterizedTest
    @EnumSource(Surrounding.class)
    void secrets_areFound(Surrounding surrounding) {
        Random random = new Random(SEED);
        List<String> missed = new ArrayList<>();
        Redaction redaction = Redactions.plain();
        for (Function<Random, Planted> format : Planted.formats()) {
            Planted planted = format.apply(random);
            String redacted = redaction.text("at 12:30 " + surrounding.of(planted.inContext()) + " end");
            if (!Encoding.PLAIN.leak(planted.secret(), redacted).isEmpty()) {
                missed.add(planted.kind() + " in " + redacted);
            }
        }
        assertThat(missed).isEmpty();
    }

    @Test
    void secretsThatAreBrokenUp_areFound() {
        Random random = new Random(SEED);
        List<String> missed = new ArrayList<>();
        Redaction redaction = Redactions.plain();
        for (Function<Random, Planted> format : Planted.formats()) {
            Planted planted = format.apply(random);
            if (!planted.secret().contains("\n")) {
                for (String broken : Surrounding.broken(planted.secret())) {
                    String text = planted.text().replace("@@", broken);
                    if (redaction.text("it is " + text + " here").contains(broken.substring(broken.length() / 3))) {
                        missed.add(planted.kind() + " in " + text);
                    }
                }
            }
        }
        assertThat(missed).isEmpty();
    }

    @Test
    void secretsInMail_areFound_whereverItsLinesAreBroken() {
        Random random = new Random(SEED);
        List<String> missed = new ArrayList<>();
        Redaction redaction = Redactions.plain();
        for (Function<Random, Planted> format : Planted.formats()) {
            Planted planted = format.apply(random);
            String mail = Surrounding.mail("x".repeat(random.nextInt(70)) + " " + planted.inContext() + " end");
            String read = redaction.text(mail).replace("=\n", "").replace("=3D", "=");
            if (!planted.secret().contains("\n")
                    && !Encoding.PLAIN.leak(planted.secret(), read).isEmpty()) {
                missed.add(planted.kind() + " in " + read);
            }
        }
        assertThat(missed).isEmpty();
    }
}

package dev.rlm.sinks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PlantedSecretsTest {
    private static final List<Encoding> ENCODINGS = List.of(Encoding.values());
    private static final int PLANTED = 5_000;
    private static final long SEED = 20_261_121;

    private static final List<String> VALUES = List.of(
            "sesame-opens-42",
            "Tr0ub4dor&3/x+y=",
            "pässwörd-ünïcode",
            "correct horse battery",
            "a\"quoted\"\\back\\slash",
            "two\nlines-of-secret\n",
            "пароль-секрет",
            "a.b.c.d.e.f.g",
            "😀-emoji-key-😀",
            "%41lready%20escaped",
            "plus+and/slash==",
            "0123456789abcdef0123456789abcdef");

    /** Texts of every kind, of all lengths, in which something may stand. */
    private static String around(Random random, String text) {
        String filler = "lorem ipsum 12:30:01 INFO step=3 dolor sit amet, x = f(y); \"k\": [1, 2]\n".repeat(40);
        String before = filler.substring(random.nextInt(filler.length()));
        String after = filler.substring(0, random.nextInt(filler.length()));
        return switch (random.nextInt(7)) {
            case 0 -> before + "2026-01-01T10:00:00Z WARN c.e.Client - retry with " + text + " in 3 s\n" + after;
            case 1 -> before + "client.connect(host, '" + text + "', timeout=5)\n" + after;
            case 2 -> "{\"role\":\"user\",\"content\":\"" + text + "\",\"n\":1}" + after;
            case 3 -> before + "POST /v1/chat HTTP/1.1\r\nHost: a.b\r\nX-Data: " + text + "\r\n\r\n" + after;
            case 4 -> before + "$ export X=" + text + " && run --fast\n" + after;
            case 5 -> text;
            default -> before + text + "\n" + after;
        };
    }

    @Tag("thorough")
    @Test
    void plantedSecrets_areFound_inEveryEncoding() {
        Random random = new Random(SEED);
        List<Function<Random, Planted>> formats = Planted.formats();
        List<String> missed = new ArrayList<>();
        Redaction redaction = Redactions.plain();
        for (int i = 0; i < PLANTED; i++) {
            Planted planted = formats.get(i % formats.size()).apply(random);
            Encoding encoding = ENCODINGS.get(i / formats.size() % 5);
            String text = around(random, encoding.of(planted.inContext(), i));
            String redacted = redaction.text(text);
            String leak = encoding.leak(planted.secret(), redacted);
            if (!leak.isEmpty()) {
                missed.add(encoding + " " + planted.kind() + " " + leak + " in " + redacted);
            }
        }
        assertThat(missed).as("missed").hasSizeLessThanOrEqualTo(PLANTED / 200);
    }

    @Test
    void registeredValues_areAllFound_inEveryEncoding_withOneHash() {
        Random random = new Random(SEED);
        Redaction redaction = Redactions.plain();
        VALUES.forEach(value -> redaction.register(Redaction.REGISTERED, value));
        for (int i = 0; i < 2_000; i++) {
            String value = VALUES.get(i % VALUES.size()).strip();
            String mark = redaction.text(value);
            assertThat(mark).matches("\\[REDACTED:registered:[0-9a-f]{8}]");
            Encoding encoding = ENCODINGS.get(i / VALUES.size() % 5);
            String snippet = "x".repeat(random.nextInt(5)) + " = " + value + "; ";
            String redacted = redaction.text(around(random, encoding.of(snippet, i)));
            assertThat(redacted).as(encoding + " " + value).contains(mark);
            assertThat(encoding.leak(value, redacted))
                    .as(encoding + " " + redacted)
                    .isEmpty();
        }
    }

    @Tag("thorough")
    @Test
    void secrets_atTheEdgesOfLongText_doNotSurvive() {
        Random random = new Random(SEED);
        String filler = "lorem ipsum dolor sit amet\n".repeat(45_000);
        int kept = 1 << 18;
        int margin = 1 << 16;
        int[] edges = {kept, kept + margin, filler.length() - kept, filler.length() - kept - margin};
        Redaction redaction = Redactions.plain();
        List<Function<Random, Planted>> formats = Planted.formats();
        for (int i = 0; i < formats.size(); i++) {
            StringBuilder text = new StringBuilder(filler);
            List<String> secrets = new ArrayList<>();
            for (int edge : edges) {
                Planted planted = formats.get(i).apply(random);
                String snippet = "\n" + planted.inContext() + "\n";
                int at = edge - 1 - random.nextInt(snippet.length());
                text.replace(at, at + snippet.length(), snippet);
                secrets.add(planted.secret());
            }
            String redacted = redaction.text(text.toString());
            for (String secret : secrets) {
                assertThat(Encoding.PLAIN.leak(secret, redacted)).isEmpty();
            }
        }
    }

    @Test
    void redactedText_staysAsItIs() {
        Random random = new Random(SEED);
        Redaction redaction = Redactions.plain();
        for (Function<Random, Planted> format : Planted.formats()) {
            String text = redaction.text(around(random, format.apply(random).inContext()));
            assertThat(redaction.text(text)).isEqualTo(text);
        }
    }
}

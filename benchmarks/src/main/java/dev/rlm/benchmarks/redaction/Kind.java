package dev.rlm.benchmarks.redaction;

import dev.rlm.benchmarks.Texts;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Supplier;

/** Kinds of text, none of which holds a secret. */
@SuppressWarnings("ImmutableEnumChecker") // a function of constants
enum Kind {
    PROSE(true, random -> texts(random).prose(Kind.LENGTH)),
    CODE(true, random -> texts(random).code(Kind.LENGTH)),
    JSON(true, random -> texts(random).json(Kind.LENGTH)),
    SUMS(true, random -> repeated(() -> sum(random))),
    STACK_TRACE(true, random -> repeated(() -> frame(random))),
    WIDE(false, random -> repeated(() -> Character.toString(0x4E00 + random.nextInt(5_000)))),
    HEXADECIMAL(false, random -> HexFormat.of().formatHex(bytes(random))),
    BASE64(false, random -> Base64.getEncoder().encodeToString(bytes(random))),
    KEYWORDS(false, random -> repeated(() -> keyword(random)));

    /** Characters of a text. */
    static final int LENGTH = 1 << 13;

    private static final List<String> WORDS = List.of(
            "token: ",
            "password = ",
            "secret ",
            "api_key ",
            "authorization ",
            "bearer ",
            "basic ",
            "cookie ",
            "https://a/b ",
            "login ",
            " sk-",
            "gh ",
            "key-",
            "eyJ",
            "AKIA",
            " 8Q~ ");

    private final boolean ordinary;
    private final Function<SplittableRandom, String> text;

    Kind(boolean ordinary, Function<SplittableRandom, String> text) {
        this.ordinary = ordinary;
        this.text = text;
    }

    /** Returns whether agents read and write it day by day. */
    boolean isOrdinary() {
        return ordinary;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Makes a text of {@link #LENGTH} characters, which follows from the seed. */
    String text(long seed) {
        return text.apply(new SplittableRandom(seed)).substring(0, LENGTH);
    }

    private static Texts texts(SplittableRandom random) {
        return new Texts(random.nextLong());
    }

    private static byte[] bytes(SplittableRandom random) {
        byte[] bytes = new byte[LENGTH];
        random.nextBytes(bytes);
        return bytes;
    }

    /** As solutions of school problems are written. */
    private static String sum(SplittableRandom random) {
        int a = random.nextInt(2, 100);
        int b = random.nextInt(2, 100);
        return "She sold %d clips in April and %d in May, so that she sold %d+%d = <<%d+%d=%d>>%d clips altogether.\n#### %d\n"
                .formatted(a, b, a, b, a, b, a + b, a + b, a + b);
    }

    private static String frame(SplittableRandom random) {
        return "\tat dev.rlm.runner.env.PythonEnvironment.execute(PythonEnvironment.java:%d)\n"
                .formatted(random.nextInt(500));
    }

    private static String keyword(SplittableRandom random) {
        return WORDS.get(random.nextInt(WORDS.size()));
    }

    private static String repeated(Supplier<String> part) {
        StringBuilder text = new StringBuilder();
        while (text.length() < LENGTH) {
            text.append(part.get());
        }
        return text.toString();
    }
}

package dev.rlm.benchmarks.redaction;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Kinds of text: those that agents read and write day by day, none of which holds a secret, and some that are never
 * written.
 */
@SuppressWarnings("ImmutableEnumChecker") // a function of constants
enum Kind {
    ENGLISH(true, files("observe.md", "record.md", "telemetry.md", "report.md", "mlflow.md", "models.md", "jobs.md")),
    PYTHON(true, files("harness.py", "_runs.py", "mcp_server.py")),
    JAVA(true, files("Redaction.java", "Unescaped.java", "Keywords.java", "Escapes.java", "CardNumber.java")),
    JSON(true, templates("json.txt")),
    LOG(true, templates("log.txt")),
    CHINESE(true, templates("chinese.txt")),
    SUMS(
            true,
            (random, length) -> repeated(length, () -> {
                int a = random.nextInt(2, 100);
                int b = random.nextInt(2, 100);
                return "She sold %d clips in April and %d in May, so that she sold %d+%d = <<%d+%d=%d>>%d clips altogether.\n#### %d\n"
                        .formatted(a, b, a, b, a, b, a + b, a + b, a + b);
            })),
    STACK_TRACE(true, lines("\tat dev.rlm.runner.env.PythonEnvironment.execute(PythonEnvironment.java:<digit:3>)\n")),
    WIDE(false, (random, length) -> repeated(length, () -> Character.toString(0x4E00 + random.nextInt(5_000)))),
    HEXADECIMAL(false, (random, length) -> HexFormat.of().formatHex(bytes(random, length))),
    BASE64(false, (random, length) -> Base64.getEncoder().encodeToString(bytes(random, length))),
    DIGITS(false, lines("<digit:64>")),
    SIGNS(false, lines("=", "\"", "'", "\\", " ", ":")),
    ESCAPES(false, lines("%40", "\\x41", "&amp;", "&#65;", "%3D", "\u001B[31m")),
    KEYWORDS(
            false,
            lines(
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
                    " 8Q~ ")),
    KEYWORDS_IN_BASE64(false, lines("dG9rZW46IHBhc3N3b3JkPQ ", "c2VjcmV0 ", "Oi8v ", "ZXlK ")),
    BEGINNINGS_OF_KEYS(false, lines("-----BEGIN PRIVATE KEY-----\n")),
    BEGINNINGS_OF_TOKENS(false, lines("eyJ<alnum:9>.", "eyJ", ".eyJ<alnum:20>")),
    ADDRESSES(false, lines("://a:<alnum:2>", "https://<alnum:40>:", "%3A%2F%2Fa%3A")),
    COMMANDS(false, lines("mysql ", "redis-cli -a ", "-stdin ", "echo a | ", "-u <alnum:3>: ")),
    WEAK_PASSWORDS(false, lines("password=\"aaaaaaaaa\" ", "token: 'aaaaaaaaaaaa' ")),
    WEAK_PASSWORDS_WITH_DIGITS(false, lines("password='password123' ", "token: \"your12345abcde1\" ")),
    TOKENS_WITHIN_TOKENS(false, lines("bearer+")),
    CREDENTIALS_WITHIN_CREDENTIALS(false, lines("basic+")),
    PASSWORDS_WITHIN_PASSWORDS(false, lines("password=x", "password=x", "password=xa1")),
    PARAMETERS_WITHIN_PARAMETERS(false, lines("authorization=a=")),
    USERS_WITHIN_PASSWORDS(false, lines("--user=a:")),
    IDS_OF_KEYS(false, lines("AKIA<upper:16> ", "AKIA<upper:16>.<alnum:30>"));

    /** Characters of a long text. */
    static final int LENGTH = 1 << 13;

    private static final int[] LENGTHS = {200, 200, 200, 200, 200, 200, 1000, 1000, 1000, 1000, 1000, 1000, 8000};
    private static final int TIMES = 64;

    private final boolean ordinary;
    private final Source source;

    Kind(boolean ordinary, Source source) {
        this.ordinary = ordinary;
        this.source = source;
    }

    /** Returns whether it has a text that agents read and write day by day. */
    boolean isOrdinary() {
        return ordinary;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Makes a text of {@link #LENGTH} characters, which follows from the seed. */
    String text(long seed) {
        return text(new SplittableRandom(seed), LENGTH);
    }

    /** Makes the next text of so many characters. */
    String text(RandomGenerator random, int length) {
        return source.text(random, length);
    }

    /** Makes 832 texts of 200, 1,000 and 8,000 characters, 950 kilobytes in all and no two alike, in a random order. */
    List<String> texts(long seed) {
        RandomGenerator random = new SplittableRandom(seed);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < TIMES; i++) {
            for (int length : LENGTHS) {
                texts.add(text(random, length));
            }
        }
        Collections.shuffle(texts, new Random(seed));
        return texts;
    }

    /** Pieces of these files, from any line on. */
    private static Source files(String... names) {
        String all = String.join("\n", Stream.of(names).map(Kind::read).toList());
        return (random, length) -> {
            int from = all.indexOf('\n', random.nextInt(all.length() - 2 * LENGTH)) + 1;
            return all.substring(from, from + length);
        };
    }

    private static Source templates(String name) {
        return lines(read(name).lines().map(line -> line + "\n").toArray(String[]::new));
    }

    /** These in a random order, with what is random in them filled in. */
    private static Source lines(String... templates) {
        return (random, length) ->
                repeated(length, () -> Template.fill(templates[random.nextInt(templates.length)], random));
    }

    private static String read(String name) {
        try (InputStream file = Objects.requireNonNull(Kind.class.getResourceAsStream(name), name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] bytes(RandomGenerator random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String repeated(int length, Supplier<String> part) {
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append(part.get());
        }
        return text.toString();
    }

    /** Makes a text of at least so many characters. */
    @FunctionalInterface
    private interface Source {
        String make(RandomGenerator random, int length);

        default String text(RandomGenerator random, int length) {
            return make(random, length).substring(0, length);
        }
    }
}

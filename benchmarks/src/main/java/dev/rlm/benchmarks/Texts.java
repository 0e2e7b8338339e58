package dev.rlm.benchmarks;

import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Makes texts of the kinds that agents read and write, from a seed: no two are alike. */
public final class Texts {
    private static final List<String> WORDS = List.of(
            "the",
            "list",
            "returns",
            "value",
            "of",
            "each",
            "sample",
            "is",
            "checked",
            "before",
            "a",
            "test",
            "runs",
            "and",
            "index",
            "error",
            "was",
            "raised",
            "in",
            "module",
            "parser",
            "with",
            "expected",
            "token",
            "number",
            "we",
            "should",
            "first",
            "read",
            "file",
            "then",
            "compute",
            "result",
            "not",
            "found",
            "loop",
            "over",
            "rows");

    private final RandomGenerator random;

    /** Texts that follow from the seed. */
    public Texts(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Sentences, about so many characters of them. */
    public String prose(int length) {
        StringBuilder text = new StringBuilder(length + 16);
        while (text.length() < length) {
            text.append(word()).append(random.nextInt(12) == 0 ? ".\n" : " ");
        }
        return text.toString();
    }

    /** Lines of Python, about so many characters of them. */
    public String code(int length) {
        StringBuilder text = new StringBuilder(length + 64);
        while (text.length() < length) {
            text.append("    %s_%d = %s(%s, %d)  # %s\n"
                    .formatted(word(), random.nextInt(100), word(), word(), random.nextInt(10_000), word()));
        }
        return text.toString();
    }

    /** A JSON object with a text of about so many characters. */
    public String json(int length) {
        return "{\"id\":%d,\"query\":\"%s\"}"
                .formatted(random.nextInt(1_000_000), prose(length).replace('\n', ' '));
    }

    private String word() {
        return WORDS.get(random.nextInt(WORDS.size()));
    }
}

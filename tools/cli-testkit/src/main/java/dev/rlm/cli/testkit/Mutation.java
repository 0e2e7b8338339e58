package dev.rlm.cli.testkit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Changes to texts of JSON, most of which leave JSON that says something else, and some of which do not. */
public final class Mutation {
    private static final Pattern VALUE =
            Pattern.compile("\"(?:[^\"\\\\]++|\\\\.)*+\"|-?\\d[\\d.eE+-]*|true|false|null");
    private static final List<String> OTHERS = List.of(
            "null",
            "true",
            "-1",
            "0.5",
            "1e999",
            "9223372036854775808",
            "\"\"",
            "\"NaN\"",
            "\"\\u0000\\ud800\"",
            "\"" + "x".repeat(5_000) + "\"",
            "[]",
            "{}",
            "[{}]",
            "[null,[],{\"type\":1}]",
            "{\"type\":\"text\",\"text\":{}}",
            "[".repeat(200) + "]".repeat(200));

    private Mutation() {}

    /** Returns a text with up to three changes. */
    public static byte[] of(byte[] text, Random random) {
        String changed = new String(text, StandardCharsets.ISO_8859_1); // which keeps every byte as it is
        for (int times = random.nextInt(3); times >= 0; times--) {
            changed = changed(changed, random);
        }
        return changed.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String changed(String text, Random random) {
        if (text.isEmpty()) {
            return text;
        }
        int from = random.nextInt(text.length());
        int to = Math.min(text.length(), from + 1 + random.nextInt(20));
        return switch (random.nextInt(8)) {
            case 0 -> text.substring(0, from) + text.substring(to);
            case 1 -> text.substring(0, to) + text.substring(from);
            case 2 -> text.substring(0, from) + (char) random.nextInt(256) + text.substring(from + 1);
            default -> withOtherValue(text, random);
        };
    }

    private static String withOtherValue(String text, Random random) {
        List<MatchResult> values = new ArrayList<>(VALUE.matcher(text).results().toList());
        if (values.isEmpty()) {
            return text;
        }
        MatchResult value = values.get(random.nextInt(values.size()));
        boolean name = text.startsWith(":", value.end()) && random.nextInt(10) > 0;
        String other =
                name ? values.get(random.nextInt(values.size())).group() : OTHERS.get(random.nextInt(OTHERS.size()));
        return text.substring(0, value.start()) + other + text.substring(value.end());
    }
}

package dev.rlm.runs.search;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares searches with a look into each text that was recorded. */
@Tag("thorough")
class SearchFuzzTest {
    private static final List<String> SIGNS = List.of(
            "a",
            "b",
            "A",
            "B",
            "k",
            "K",
            "\u212A",
            "s",
            "\u017F",
            "é",
            "É",
            "中",
            "\uD83D\uDE00",
            "\"",
            "\\",
            "\n",
            "\t",
            "\u0001",
            "\u001b",
            "\u007f",
            "\u0085",
            "\u200b",
            "\u2028",
            ".",
            " ",
            "7");
    private static final List<String> ATOMS = List.of(
            "a",
            "b",
            "k",
            "é",
            "中",
            "\uD83D\uDE00",
            "\\\\",
            "\\.",
            ".",
            "[ab]",
            "[^]a]",
            "[[:alpha:]\\]]",
            "\\d",
            "\\x{4e2d}",
            "(a|b)",
            "(?:ab)",
            "(a(b[)]|\\)))",
            "\\n",
            "\"",
            "^",
            "$",
            "\\b",
            "\\Qa.b\\E",
            "(?i:a)",
            "a|b",
            " ");
    private static final List<String> REPETITIONS =
            List.of("", "", "", "", "?", "*", "+", "{2}", "{0,1}", "{1,}", "+?", "??");

    private final Random random = new Random(Long.getLong("fuzz.seed", 11));
    private final List<String> texts = new ArrayList<>();

    @TempDir
    Path directory;

    @BeforeEach
    void record() {
        try (Sinks sinks = Sinks.builder()
                        .add("jsonl", JsonlSink.builder().directory(directory).build())
                        .build();
                Run run = sinks.startRun(RunSpec.builder("calc").runId("run").build())) {
            for (int i = 0; i < 300; i++) {
                String text = some(SIGNS, 40);
                texts.add(text);
                try (Step step = run.startStep()) {
                    step.complete(text);
                }
            }
        }
    }

    private String some(List<String> parts, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = 1 + random.nextInt(most); i > 0; i--) {
            text.append(parts.get(random.nextInt(parts.size())));
        }
        return text.toString();
    }

    @Test
    void texts_areFoundWhereTheyAre() {
        for (int i = 0; i < 400; i++) {
            String text = some(SIGNS, 4);
            check(each -> each.contains(text), "--", text);
        }
    }

    @Test
    void textsInAnyCase_areFoundWhereTheyAre() {
        for (int i = 0; i < 400; i++) {
            String text = some(SIGNS, 4);
            var pattern = java.util.regex.Pattern.compile(
                    java.util.regex.Pattern.quote(text),
                    java.util.regex.Pattern.CASE_INSENSITIVE | java.util.regex.Pattern.UNICODE_CASE);
            check(each -> pattern.matcher(each).find(), "-i", "--", text);
        }
    }

    @Test
    void expressions_areFoundWhereTheyMatch() {
        for (int i = 0; i < 400; i++) {
            StringBuilder regex = new StringBuilder(random.nextInt(4) == 0 ? "(?i)" : "");
            for (int j = 1 + random.nextInt(4); j > 0; j--) {
                String atom = ATOMS.get(random.nextInt(ATOMS.size()));
                regex.append(atom);
                if (!List.of("^", "$", "\\b", "a|b").contains(atom)) {
                    regex.append(REPETITIONS.get(random.nextInt(REPETITIONS.size())));
                }
            }
            Pattern pattern = Pattern.compile(regex.toString(), Pattern.MULTILINE);
            check(each -> matches(pattern, each), "--", "/" + regex + "/");
        }
    }

    private static boolean matches(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            if (matcher.end() > matcher.start()) {
                return true;
            }
        }
        return false;
    }

    private void check(Predicate<String> isFound, String... arguments) {
        List<String> command =
                new ArrayList<>(List.of("search", "--journal", directory.toString(), "--json", "--limit", "1000"));
        command.addAll(List.of(arguments));
        Cli found = Cli.with(Map.of(), command.toArray(String[]::new));
        long expected = texts.stream().filter(isFound).count();
        assertThat(found.out().lines().filter(line -> line.contains("\"field\":\"output\"")))
                .as(String.join(" ", arguments) + found.err())
                .hasSize((int) expected);
    }
}

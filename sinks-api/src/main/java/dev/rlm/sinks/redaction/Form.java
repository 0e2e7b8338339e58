package dev.rlm.sinks.redaction;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A paragraph of {@code forms.txt}, which says itself how it is read: a {@link Rule} as data, with its examples.
 *
 * @param facts each line's first word and what follows, in order
 */
record Form(String kind, List<Map.Entry<String, String>> facts) {
    private static final String FILE = "forms.txt";
    private static final Map<String, Predicate<String>> CHECKS = Map.of(
            "random", Plausible::isRandom,
            "mixed", Plausible::isMixed,
            "basic", Plausible::isBasic);

    /** All that the file has. */
    static List<Form> all() {
        try (InputStream file = Objects.requireNonNull(Form.class.getResourceAsStream(FILE), FILE)) {
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            return Stream.of(text.split("\n\n+", -1))
                    .map(Form::of)
                    .filter(form -> !form.kind().isEmpty())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Form of(String paragraph) {
        List<String> lines = paragraph
                .lines()
                .map(String::strip)
                .filter(line -> !line.startsWith("#"))
                .toList();
        List<Map.Entry<String, String>> facts = new ArrayList<>();
        for (String line : lines.subList(Math.min(1, lines.size()), lines.size())) {
            int end = (line + " ").indexOf(' ');
            facts.add(Map.entry(line.substring(0, end), line.substring(end).strip()));
        }
        return new Form(lines.isEmpty() ? "" : lines.get(0), facts);
    }

    /** What the lines say that begin with the word. */
    List<String> values(String word) {
        return facts.stream()
                .filter(fact -> fact.getKey().equals(word))
                .map(Map.Entry::getValue)
                .toList();
    }

    private String value(String word) {
        return String.join(" ", values(word));
    }

    Rule rule() {
        Rule rule = Rule.format(kind, value("form"), value("words").split(" +", -1));
        String check = value("check");
        if (!check.isEmpty()) {
            rule = rule.where(Objects.requireNonNull(CHECKS.get(check), check));
        }
        String behind = value("behind");
        if (!behind.isEmpty()) {
            return rule.behind(c -> Escapes.isAlphanumeric(c) || "_-".indexOf(c) >= 0, Integer.parseInt(behind));
        }
        return values("inside").isEmpty() ? rule.separately() : rule;
    }
}

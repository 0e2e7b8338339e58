package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.Escapes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A paragraph of {@code forms.txt}, which says itself how it is read: a {@link Rule} as data, with its examples.
 *
 * @param facts each line's first word and what follows, in order
 * @param pieces pieces of forms and their names in braces, each before those that it is a part of
 */
record Form(String kind, List<Map.Entry<String, String>> facts, List<Map.Entry<String, String>> pieces) {
    private static final String FILE = "forms.txt";
    private static final String PIECES = "let";
    private static final Map<String, Rule.KeywordFilter> PLACES = Map.of(
            "word", Escapes::isStartOfWordOrMarked,
            "assigned", Places::isAssigned,
            "no-cursor", Places::isNoCursor,
            "pass", Places::isPass,
            "apart", Places::isApart);
    private static final String OF_WORDS = "[\\w-]";
    private static final int ASCII = 128;

    /** Reads all that the file has. */
    static List<Form> all() {
        try (InputStream file = Objects.requireNonNull(Form.class.getResourceAsStream(FILE), FILE)) {
            List<List<String>> paragraphs = Stream.of(
                            new String(file.readAllBytes(), StandardCharsets.UTF_8).split("\n\n+", -1))
                    .map(Form::lines)
                    .filter(lines -> !lines.isEmpty())
                    .toList();
            List<Map.Entry<String, String>> pieces = paragraphs.stream()
                    .filter(lines -> lines.get(0).equals(PIECES))
                    .flatMap(lines -> facts(lines).stream())
                    .map(piece -> Map.entry("{" + piece.getKey() + "}", piece.getValue()))
                    .toList();
            return paragraphs.stream()
                    .filter(lines -> !lines.get(0).equals(PIECES))
                    .map(lines -> new Form(lines.get(0), facts(lines), pieces))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> lines(String paragraph) {
        return paragraph
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }

    private static List<Map.Entry<String, String>> facts(List<String> lines) {
        List<Map.Entry<String, String>> facts = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            int end = (line + " ").indexOf(' ');
            facts.add(Map.entry(line.substring(0, end), line.substring(end).strip()));
        }
        return facts;
    }

    /** Returns what the lines say that begin with the word. */
    List<String> values(String word) {
        return facts.stream()
                .filter(fact -> fact.getKey().equals(word))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** Returns the words in these lines. */
    private List<String> parts(String word) {
        return values(word).stream()
                .flatMap(value -> Stream.of(value.split(" +", -1)))
                .toList();
    }

    Rule rule() {
        FoundSecret.Rank rank = parts("rank").stream()
                .map(name -> FoundSecret.Rank.valueOf(name.toUpperCase(Locale.ROOT)))
                .findFirst()
                .orElse(FoundSecret.Rank.FORMAT);
        List<String> words = parts("words").stream()
                .map(word -> word.replace('␣', ' ').replace('␤', '\n'))
                .toList();
        List<String> behind = parts("behind");
        return new Rule(
                kind,
                rank,
                words,
                new Expression(expression()),
                place(rank == FoundSecret.Rank.FORMAT
                        && behind.isEmpty()
                        && values("inside").isEmpty()),
                behind.isEmpty() ? null : among(behind.size() > 1 ? behind.get(1) : OF_WORDS),
                behind.isEmpty() ? 0 : Integer.parseInt(behind.get(0)),
                check(),
                !values("once").isEmpty());
    }

    private String expression() {
        String expression = String.join("", values("form"));
        for (int i = pieces.size() - 1; i >= 0; i--) {
            expression =
                    expression.replace(pieces.get(i).getKey(), pieces.get(i).getValue());
        }
        return expression;
    }

    private Rule.KeywordFilter place(boolean separately) {
        if (separately) {
            return Escapes::isStartOfWordOrMarked;
        }
        return parts("at").stream()
                .map(name -> Objects.requireNonNull(PLACES.get(name), name))
                .reduce((one, other) -> (text, keyword) -> one.allows(text, keyword) && other.allows(text, keyword))
                .orElse((text, keyword) -> true);
    }

    private Check check() {
        return parts("check").stream()
                .map(name -> Objects.requireNonNull(Plausible.CHECKS.get(name), name))
                .reduce(Check.NONE, Check::and);
    }

    /** Returns what tells the characters of a class, among which those beyond ASCII are alike. */
    private static IntPredicate among(String characters) {
        Pattern pattern = Pattern.compile(characters);
        boolean[] among = new boolean[ASCII + 1];
        for (int c = 0; c <= ASCII; c++) {
            among[c] = pattern.matcher(Character.toString(c)).matches();
        }
        return c -> among[Math.min(c, ASCII)];
    }
}

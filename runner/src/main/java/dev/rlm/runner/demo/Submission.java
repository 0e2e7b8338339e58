package dev.rlm.runner.demo;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Search for the number that a submission stands for. Where the words mark an answer, only what is marked last
 * counts: what follows {@code ####}, {@code A:} or {@code Answer:} at the beginning of a line, or is in a {@code
 * \boxed{…}}. The number is the only one in there, be it with a currency, thousands separators, a unit or a full
 * stop. If there are several, as in an unmarked calculation, none is guessed.
 */
final class Submission {
    private static final Pattern MARKED = Pattern.compile(
            "^[*\\s]*(?:####|(?:A|(?:The )?(?:Final )?Answer)[*]*:)(?<line>.*)$|\\\\boxed\\{(?<box>[^{}]*)}",
            Pattern.MULTILINE | Pattern.CASE_INSENSITIVE);

    // A digit that belongs to a word, such as in H2O, is no number; a minus sign behind a digit is an operator.
    private static final Pattern NUMBER = Pattern.compile(
            "(?<![\\w.,])(?:(?<![\\d)] ?)[-+])?[$€£]?[-+]?(?:\\d{1,3}(?:,\\d{3})+(?!\\d)|\\d++)?(?:\\.\\d++|(?<=\\d))"
                    + "(?![.,]?\\d|[eE][-+]?\\d)");

    private Submission() {}

    /** The number; empty where there is none, or more than one. */
    static Optional<Rational> number(String words) {
        Optional<Rational> plain = Rational.parse(words);
        return plain.isPresent() ? plain : only(marked(words));
    }

    private static String marked(String words) {
        String marked = words;
        for (Matcher mark = MARKED.matcher(words); mark.find(); ) {
            marked = mark.group("line") == null ? mark.group("box") : mark.group("line");
        }
        return marked;
    }

    private static Optional<Rational> only(String text) {
        Matcher number = NUMBER.matcher(text.replace('\u2212', '-'));
        if (!number.find()) {
            return Optional.empty();
        }
        String only = number.group();
        return number.find() ? Optional.empty() : Rational.parse(only);
    }
}

package dev.rlm.runs.search;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.rlm.cli.UsageException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Text to be found, or a regular expression between slashes. Expressions are RE2's, which take time in proportion to the text
 * whatever they are; {@code ^} and {@code $} stand for the ends of lines, and an empty match is none. Safe for use by several
 * threads.
 */
public final class TextPattern {
    private static final String IGNORE_CASE = "(?i)";
    private static final long MAX_COPIES = 1_000; // as RE2 itself allows of repetitions in each other
    private static final Pattern PART =
            Pattern.compile("\\\\Q(?s:.*?)(?:\\\\E|$)|\\\\.|\\[\\^?\\]?(?:\\\\.|[^\\]\\\\])*\\]?"
                    + "|(?P<open>\\()|(?P<close>\\))|\\{(?P<least>\\d{1,4})(?:,(?P<most>\\d{0,4}))?\\}|(?s:.)");

    private final String text;
    private final boolean ignoreCase;
    private final String literal;
    private final @Nullable Pattern pattern; // null where the text itself is looked for

    private TextPattern(String text, boolean ignoreCase, String literal, @Nullable Pattern pattern) {
        this.text = text;
        this.ignoreCase = ignoreCase;
        this.literal = ignoreCase ? RequiredLiteral.withoutOtherCases(literal) : literal;
        this.pattern = pattern;
    }

    /**
     * Returns the pattern that somebody wrote.
     *
     * @throws UsageException if it is empty, or no regular expression
     */
    public static TextPattern of(String text, boolean ignoreCase) {
        boolean isRegex = text.length() > 1 && text.startsWith("/") && text.endsWith("/");
        String wanted = isRegex ? text.substring(1, text.length() - 1) : text;
        if (wanted.isEmpty()) {
            throw new UsageException(
                    "the text to search for is empty: expected a text, or a regular expression as /regex/");
        } else if (!isRegex) {
            return new TextPattern(
                    wanted, ignoreCase, wanted, ignoreCase ? compiled(Pattern.quote(wanted), true) : null);
        }
        boolean ignores = ignoreCase || wanted.startsWith(IGNORE_CASE);
        String expression = wanted.startsWith(IGNORE_CASE) ? wanted.substring(IGNORE_CASE.length()) : wanted;
        return new TextPattern(wanted, ignores, RequiredLiteral.of(expression), compiled(expression, ignores));
    }

    private static Pattern compiled(String expression, boolean ignoreCase) {
        if (copies(expression) > MAX_COPIES) {
            throw new UsageException("'/" + expression + "/' is too large: repetitions in each other may make at most "
                    + MAX_COPIES + " of a part");
        }
        try {
            return Pattern.compile(expression, Pattern.MULTILINE | (ignoreCase ? Pattern.CASE_INSENSITIVE : 0));
        } catch (PatternSyntaxException e) {
            throw new UsageException(
                    "'/" + expression + "/' is no regular expression of RE2: " + e.getDescription(), e);
        }
    }

    /** Returns how often, at the most, the compiled expression holds one of its parts. */
    private static long copies(String expression) {
        Deque<Long> around = new ArrayDeque<>();
        long most = 1; // within the group that is open
        long last = 1; // of the part before
        Matcher part = PART.matcher(expression);
        while (part.find()) {
            if (part.group("open") != null) {
                around.push(most);
                most = 1;
                last = 1;
            } else if (part.group("close") != null) {
                last = most;
                most = Math.max(last, around.isEmpty() ? 1 : around.pop());
            } else if (part.group("least") != null) {
                String upper = part.group("most");
                last *= Math.max(1, Long.parseLong(upper == null || upper.isEmpty() ? part.group("least") : upper));
                last = Math.min(last, Integer.MAX_VALUE);
                most = Math.max(most, last);
            } else {
                last = 1;
            }
        }
        return most;
    }

    /** Returns a text that every match contains, in any case if case is ignored; empty if none is known. */
    String literal() {
        return literal;
    }

    boolean ignoresCase() {
        return ignoreCase;
    }

    /** Returns the first match in a text; {@code null} where there is none. */
    @Nullable
    Match find(String searched) {
        if (pattern == null) {
            int start = searched.indexOf(text);
            return start < 0 ? null : new Match(start, start + text.length());
        }
        Matcher matcher = pattern.matcher(searched);
        while (matcher.find()) {
            if (matcher.end() > matcher.start()) {
                return new Match(matcher.start(), matcher.end());
            }
        }
        return null;
    }

    /** Place of a match in a text. */
    record Match(int start, int end) {}
}

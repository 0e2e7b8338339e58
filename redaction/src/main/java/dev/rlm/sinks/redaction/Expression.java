package dev.rlm.sinks.redaction;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression that matches where a text begins, compiled when it is first needed: most are never. A {@link LazyDfa}
 * tells whether it does. Where its groups then are {@link Pattern} tells, which nearly always takes little time where there is a
 * match; where it takes more, RE2/J does, whose time is in proportion to the text, whatever that is. Safe for use by several
 * threads.
 */
final class Expression {
    private static final String ASCII_BOUNDARY = "(?:(?<=\\w)(?!\\w)|(?<!\\w)(?=\\w))";

    private final String regex;
    private volatile @Nullable LazyDfa dfa;
    private volatile @Nullable Pattern pattern;
    private volatile com.google.re2j.@Nullable Pattern linear;

    Expression(String regex) {
        this.regex = regex;
    }

    /** Returns whether it matches a text that begins so, as far as that is known. */
    boolean mayBegin(String beginning) {
        return dfa().mayBegin(beginning);
    }

    /** Returns whether it matches at the index. */
    boolean matches(Search search, String text, int index) {
        int end = dfa().end(text, index, search.deadline());
        if (end >= 0 || ~end - index > Occurrence.NEAR) {
            search.reachFar();
        }
        return end >= 0;
    }

    /** Returns where the groups are that it matches at the index, from there on; null where it does not match. */
    @Nullable
    MatchResult match(Search search, String text, int index) {
        try {
            Matcher matcher = pattern().matcher(new Region(text, index, search.deadline(), true));
            return matcher.lookingAt() ? matcher : null;
        } catch (Region.LimitException | StackOverflowError e) {
            return linearly(new Region(text, index, search.deadline(), false));
        }
    }

    @Override
    public String toString() {
        return regex;
    }

    private @Nullable MatchResult linearly(Region region) {
        com.google.re2j.Matcher matcher = linear().matcher(region);
        return matcher.lookingAt() ? new LinearMatch(matcher) : null;
    }

    private LazyDfa dfa() {
        LazyDfa made = dfa;
        if (made == null) {
            made = new LazyDfa(RegexParser.parse(regex));
            dfa = made;
        }
        return made;
    }

    private Pattern pattern() {
        Pattern compiled = pattern;
        if (compiled == null) {
            compiled = Pattern.compile(regex.replace("\\b", ASCII_BOUNDARY), Pattern.UNIX_LINES);
            pattern = compiled;
        }
        return compiled;
    }

    private com.google.re2j.Pattern linear() {
        com.google.re2j.Pattern compiled = linear;
        if (compiled == null) {
            compiled = com.google.re2j.Pattern.compile("\\A(?:" + regex + ")"); // a try that fails ends at once
            linear = compiled;
        }
        return compiled;
    }

    /** A match of RE2/J as others see theirs. */
    private record LinearMatch(com.google.re2j.Matcher matcher) implements MatchResult {
        @Override
        public int start() {
            return matcher.start();
        }

        @Override
        public int start(int group) {
            return matcher.start(group);
        }

        @Override
        public int end() {
            return matcher.end();
        }

        @Override
        public int end(int group) {
            return matcher.end(group);
        }

        @Override
        public String group() {
            return matcher.group();
        }

        @Override
        public String group(int group) {
            return matcher.group(group);
        }

        @Override
        public int groupCount() {
            return matcher.groupCount();
        }
    }
}

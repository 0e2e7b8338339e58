package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.GroupFinder;
import dev.rlm.sinks.redaction.regex.LazyDfa;
import dev.rlm.sinks.redaction.regex.RegexParser;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression that is tried at a place of a text, compiled when it is first needed: most are never. A {@link LazyDfa}
 * tells whether it matches there, and only where it does a {@link GroupFinder} where its groups are. Safe for use by several
 * threads.
 */
final class Expression {
    private final String regex;
    private volatile @Nullable LazyDfa dfa;
    private volatile @Nullable GroupFinder groups;

    Expression(String regex) {
        this.regex = regex;
    }

    /** Returns whether it matches a text that begins so, as far as that is known. */
    boolean mayBegin(String beginning, boolean isWhole) {
        return isWhole ? dfa().matches(beginning) : dfa().mayBegin(beginning);
    }

    /** Returns up to where its match at the index may go, if it is no longer than so many characters. */
    int longest(String text, int index, int most) {
        return dfa().longest(text, index, most);
    }

    /** Returns whether it matches at the index, but for how often what may be repeated very often is there. */
    boolean matches(Search search, String text, int index) {
        int end = dfa().end(text, index, search.traces());
        if (end >= 0 || ~end - index > Occurrence.NEAR) {
            search.reachFar();
        }
        return end >= 0;
    }

    /** Returns where the match at the index and its groups begin and end; null where it does not match. */
    int @Nullable [] match(Search search, String text, int index) {
        GroupFinder made = groups;
        if (made == null) {
            made = new GroupFinder(RegexParser.parse(regex));
            groups = made;
        }
        return made.find(text, index, search.deadline());
    }

    @Override
    public String toString() {
        return regex;
    }

    private LazyDfa dfa() {
        LazyDfa made = dfa;
        if (made == null) {
            made = new LazyDfa(RegexParser.parse(regex).relaxed());
            dfa = made;
        }
        return made;
    }
}

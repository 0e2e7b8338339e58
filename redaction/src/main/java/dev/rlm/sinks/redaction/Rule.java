package dev.rlm.sinks.redaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import org.jspecify.annotations.Nullable;

/**
 * The form of a kind of secret: where one of its keywords stands, its expression is tried right there and nowhere else. The
 * secret is what the expression's groups hold, or the whole where it has none. Immutable; safe for use by several threads.
 *
 * @param place where the keyword may stand
 * @param behind what the expression may begin with before the keyword, at most {@code maxBehind} characters
 * @param check what else must be true of a secret
 * @param once whether a secret that fails the check has none in it behind a later keyword
 */
record Rule(
        String kind,
        Finding.Rank rank,
        List<String> keywords,
        Expression expression,
        Place place,
        @Nullable IntPredicate behind,
        int maxBehind,
        Predicate<String> check,
        boolean once)
        implements Lead {

    void addTo(Keywords.Builder builder) {
        if (countsInItsCaseAlone()) {
            keywords.forEach(keyword -> builder.addExactly(keyword, this));
        } else {
            keywords.stream()
                    .map(keyword -> keyword.toLowerCase(Locale.ROOT))
                    .distinct()
                    .forEach(keyword -> builder.add(keyword, this));
        }
    }

    /** Returns whether its keywords mean nothing in another case, as those of forms do, but for escapes, whose digits have two. */
    boolean countsInItsCaseAlone() {
        return rank == Finding.Rank.FORMAT && keywords.stream().noneMatch(keyword -> keyword.contains("%"));
    }

    @Override
    public void follow(Search search, int from, int to) {
        if (from >= search.doneBy(this)) {
            int end = tryAt(search, search.text(), from, search::found);
            if (end > 0) {
                search.done(this, end);
            }
        }
    }

    /** Returns whether the expression may match at a keyword with which a text begins so. */
    boolean mayBegin(String beginning) {
        return behind != null || expression.mayBegin(beginning);
    }

    /** Tries the expression at a keyword, and returns up to where no other of this rule has to be tried; 0 for any. */
    int tryAt(Search search, String text, int keyword, Consumer<Finding> found) {
        search.deadline().check();
        if (rank == Finding.Rank.FORMAT && !place.allows(text, keyword)) {
            return 0; // within a word, as most, for which nothing else is looked at
        }
        int from = start(text, keyword);
        if (behind != null) {
            search.reachFar();
        }
        if (!expression.matches(search, text, from) || !place.allows(text, keyword)) {
            return 0;
        }
        @Nullable MatchResult match = expression.match(search, text, from);
        if (match == null) {
            return 0;
        }
        List<Finding> all = findings(text, from, match);
        all.forEach(found);
        return all.isEmpty() && !once ? 0 : from + match.end();
    }

    private int start(String text, int keyword) {
        int from = keyword;
        while (behind != null && from > 0 && keyword - from < maxBehind && behind.test(text.charAt(from - 1))) {
            from--;
        }
        return from;
    }

    private List<Finding> findings(String text, int from, MatchResult match) {
        List<Finding> all = new ArrayList<>();
        for (int group = Math.min(1, match.groupCount()); group <= match.groupCount(); group++) {
            if (match.start(group) >= 0) {
                String secret = text.substring(from + match.start(group), from + match.end(group));
                if (check.test(secret)) {
                    all.add(new Finding(from + match.start(group), from + match.end(group), kind, rank, secret));
                }
            }
        }
        return all;
    }

    /** Decides where in a text a keyword counts. */
    @FunctionalInterface
    interface Place {
        boolean allows(String text, int keyword);
    }
}

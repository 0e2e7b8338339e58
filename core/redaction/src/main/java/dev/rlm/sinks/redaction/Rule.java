package dev.rlm.sinks.redaction;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
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
        FoundSecret.Rank rank,
        List<String> keywords,
        Expression expression,
        KeywordFilter place,
        @Nullable IntPredicate behind,
        int maxBehind,
        Check check,
        boolean once)
        implements Lead {
    private static final int SHORT = 64; // what may hold too few digits for a secret is soon told
    private static final int LONG = 128; // for a value in which other keywords are worth not to be tried
    private static final int BEFORE = 96; // characters from a keyword to such a value at most

    /**
     * Adds what rules look for. Where several have the same keywords, as those have whose names lead to secrets, one reading
     * tells mostly that there is none of them.
     */
    static void addTo(Keywords.Builder builder, List<Rule> rules) {
        Map<List<String>, List<Rule>> alike =
                rules.stream().collect(Collectors.groupingBy(Rule::keywords, LinkedHashMap::new, Collectors.toList()));
        alike.values().forEach(group -> {
            if (group.size() > 1 && group.stream().allMatch(Rule::isTriedAtKeyword)) {
                group.get(0).addTo(builder, together(group));
            } else {
                group.forEach(rule -> rule.addTo(builder, rule));
            }
        });
    }

    private boolean isTriedAtKeyword() {
        return behind == null && rank != FoundSecret.Rank.FORMAT;
    }

    private static Lead together(List<Rule> rules) {
        Expression any = new Expression(
                rules.stream().map(rule -> "(?:" + rule.expression + ")").collect(Collectors.joining("|")));
        return (search, from, to) -> {
            search.deadline().tick();
            if (any.matches(search, search.text(), from)) {
                rules.forEach(rule -> rule.follow(search, from, to));
            }
        };
    }

    private void addTo(Keywords.Builder builder, Lead lead) {
        if (countsInItsCaseAlone()) {
            keywords.forEach(keyword -> builder.addExactly(keyword, lead));
        } else {
            keywords.stream()
                    .map(keyword -> keyword.toLowerCase(Locale.ROOT))
                    .distinct()
                    .forEach(keyword -> builder.add(keyword, lead));
        }
    }

    /** Returns whether its keywords mean nothing in another case, as those of forms do, but for escapes, whose digits have two. */
    boolean countsInItsCaseAlone() {
        return rank == FoundSecret.Rank.FORMAT && keywords.stream().noneMatch(keyword -> keyword.contains("%"));
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

    /** Returns whether the expression may match at a keyword with which a text begins so, or is no longer. */
    boolean mayBegin(String beginning, boolean isWhole) {
        return behind != null || expression.mayBegin(beginning, isWhole);
    }

    /** Tries the expression at a keyword, and returns up to where no other of this rule has to be tried; 0 for any. */
    int tryAt(Search search, String text, int keyword, Consumer<FoundSecret> found) {
        search.deadline().tick();
        if (rank == FoundSecret.Rank.FORMAT && !place.allows(text, keyword)) {
            return 0; // within a word, as most, for which nothing else is looked at
        } else if (keyword < search.barren(this, text)) {
            return 0;
        }
        int from = start(text, keyword);
        if (behind != null) {
            search.reachFar();
        }
        if (!expression.matches(search, text, from) || !place.allows(text, keyword)) {
            return 0;
        }
        if (!once && check.isPoor(text, from, expression.longest(text, from, SHORT))) {
            return 0; // as many values that are none, for which no group is looked for
        }
        int[] match = expression.match(search, text, from);
        if (match == null) {
            return 0;
        }
        int done = once ? match[1] : 0;
        for (int group = Math.min(2, match.length - 2); group < match.length; group += 2) {
            if (match[group] >= 0) {
                String secret = text.substring(match[group], match[group + 1]);
                if (check.test().test(secret)) {
                    found.accept(new FoundSecret(match[group], match[group + 1], kind, rank, secret));
                    done = match[1];
                } else if (match[group + 1] == match[1] && secret.length() > LONG) {
                    search.barren(this, text, match[group] + check.barren(secret) - BEFORE);
                }
            }
        }
        return done;
    }

    private int start(String text, int keyword) {
        int from = keyword;
        while (behind != null && from > 0 && keyword - from < maxBehind && behind.test(text.charAt(from - 1))) {
            from--;
        }
        return from;
    }

    /** Decides where in a text a keyword counts. */
    @FunctionalInterface
    interface KeywordFilter {
        boolean allows(String text, int keyword);
    }
}

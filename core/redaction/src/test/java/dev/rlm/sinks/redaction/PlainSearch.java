package dev.rlm.sinks.redaction;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The search for forms as it would be without any haste: java.util.regex is asked wherever a keyword stands. */
public final class PlainSearch {
    /** Characters that java.util.regex and RE2 take differently. */
    private static final Predicate<String> DISPUTED =
            Pattern.compile("[\\x0B\u017F\u212A\\p{Cs}]").asPredicate();

    private static final String BOUNDARY_OF_ASCII = "(?:(?<=\\w)(?!\\w)|(?<!\\w)(?=\\w))";

    private final List<Attempt> attempts;

    PlainSearch(List<Rule> rules) {
        attempts = rules.stream()
                .map(rule -> new Attempt(
                        rule,
                        Pattern.compile(
                                rule.expression().toString().replace("\\b", BOUNDARY_OF_ASCII), Pattern.UNIX_LINES)))
                .toList();
    }

    public static boolean isMeantAlike(String text) {
        return !DISPUTED.test(text);
    }

    List<FoundSecret> findings(String text) {
        String small = small(text);
        List<FoundSecret> found = new ArrayList<>();
        attempts.forEach(attempt -> find(attempt, text, small, found));
        return found;
    }

    /** Letters of ASCII in their small form, and no other. */
    private static String small(String text) {
        StringBuilder small = new StringBuilder(text);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            small.setCharAt(i, c >= 'A' && c <= 'Z' ? (char) (c | ' ') : c);
        }
        return small.toString();
    }

    private static void find(Attempt attempt, String text, String small, List<FoundSecret> found) {
        Rule rule = attempt.rule();
        List<int[]> places = new ArrayList<>();
        for (String keyword : rule.keywords()) {
            String word = small(keyword);
            for (int from = small.indexOf(word); from >= 0; from = small.indexOf(word, from + 1)) {
                places.add(new int[] {from, from + word.length()});
            }
        }
        places.sort(Comparator.<int[]>comparingInt(place -> place[1]).thenComparingInt(place -> place[0]));
        int done = 0;
        for (int[] place : places) {
            if (place[0] >= done && rule.place().allows(text, place[0])) {
                done = Math.max(done, tryAt(attempt, text, place[0], found));
            }
        }
    }

    private static int tryAt(Attempt attempt, String text, int keyword, List<FoundSecret> found) {
        Rule rule = attempt.rule();
        int from = keyword;
        while (rule.behind() != null
                && from > 0
                && keyword - from < rule.maxBehind()
                && rule.behind().test(text.charAt(from - 1))) {
            from--;
        }
        Matcher match = attempt.pattern().matcher(text.substring(from));
        if (!match.lookingAt()) {
            return 0;
        }
        boolean isFound = false;
        for (int group = Math.min(1, match.groupCount()); group <= match.groupCount(); group++) {
            String secret = match.group(group);
            if (secret != null && rule.check().test().test(secret)) {
                found.add(new FoundSecret(
                        from + match.start(group), from + match.end(group), rule.kind(), rule.rank(), secret));
                isFound = true;
            }
        }
        return isFound || rule.once() ? from + match.end() : 0;
    }

    private record Attempt(Rule rule, Pattern pattern) {}
}

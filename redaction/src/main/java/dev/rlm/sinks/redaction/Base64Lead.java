package dev.rlm.sinks.redaction;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A keyword of a {@link Rule} as it is in base64. What stands around is decoded, and the rule is tried there. Immutable;
 * safe for use by several threads.
 *
 * @param digits the keyword's own digits
 * @param before how many bytes stand before it in its group of three
 */
record Base64Lead(Rule rule, String digits, int before) implements Lead {
    private static final int MIN_KEYWORD = 3;
    private static final int MAX_DIGITS = 5; // 30 bits; each more makes the automaton a seventh larger

    /** Adds the keywords of a rule. Those that are so short that any base64 has them are left out. */
    static void addTo(Keywords.Builder keywords, Rule rule) {
        rule.keywords().stream()
                .filter(keyword -> keyword.length() >= MIN_KEYWORD)
                .flatMap(keyword -> spellings(rule, keyword).stream())
                .distinct()
                .forEach(keyword -> add(keywords, rule, keyword));
    }

    private static Set<String> spellings(Rule rule, String keyword) {
        if (rule.rank() == Finding.Rank.FORMAT) {
            return Set.of(keyword);
        }
        String small = keyword.toLowerCase(Locale.ROOT);
        String capital = small.substring(0, 1).toUpperCase(Locale.ROOT) + small.substring(1);
        return Set.copyOf(List.of(keyword, small, capital, keyword.toUpperCase(Locale.ROOT)));
    }

    private static void add(Keywords.Builder keywords, Rule rule, String keyword) {
        for (int before = 0; before < 3; before++) {
            String digits = KnownValue.base64(keyword.getBytes(StandardCharsets.UTF_8), before);
            digits = digits.substring(0, Math.min(MAX_DIGITS, digits.length()));
            keywords.addExactly(digits, new Base64Lead(rule, digits, before));
            String url = digits.replace('+', '-').replace('/', '_');
            if (!url.equals(digits)) {
                keywords.addExactly(url, new Base64Lead(rule, url, before));
            }
        }
    }

    @Override
    public void follow(Search search, int from, int to) {
        if (from < search.doneBy(rule) || !search.text().startsWith(digits, from)) {
            return; // in the other case it is something else
        }
        int phase = before == 0 ? 0 : before + 1;
        Base64Runs.Run known = search.base64().known(from, phase);
        if (known != null) {
            follow(search, from, known);
        } else if (Base64Runs.isRun(search.text(), from - phase, from) // else its group begins before the run does
                && rule.mayBegin(Base64Runs.beginning(search.text(), from - phase, before))) {
            follow(search, from, search.base64().decode(search.text(), from, phase));
        }
    }

    private void follow(Search search, int from, Base64Runs.Run run) {
        search.reachFar();
        int keyword = run.digitAt(from) / 4 * 3 + before;
        int end = rule.tryAt(search, run.bytes(), keyword, found -> search.found(place(found, run)));
        if (end > 0) {
            search.done(rule, run.to(end));
        }
    }

    private static Finding place(Finding found, Base64Runs.Run run) {
        return new Finding(run.from(found.from()), run.to(found.to()), found.kind(), found.rank(), found.secret());
    }
}

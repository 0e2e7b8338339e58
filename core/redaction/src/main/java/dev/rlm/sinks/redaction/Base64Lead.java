package dev.rlm.sinks.redaction;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A keyword of {@link Rule}s as it is in base64. What stands around is decoded, and the rules are tried there. Immutable;
 * safe for use by several threads.
 *
 * @param digits the keyword's own digits
 * @param before how many bytes stand before it in its group of three
 */
record Base64Lead(List<Rule> rules, String digits, int before) implements Lead {
    private static final int MIN_KEYWORD = 3;
    private static final int MAX_DIGITS = 5; // 30 bits; each more makes the automaton a seventh larger

    /** Adds the keywords of rules. Those that are so short that any base64 has them are left out. */
    static void addTo(Keywords.Builder keywords, List<Rule> rules) {
        Map<Map.Entry<String, Integer>, Set<Rule>> leads = new LinkedHashMap<>();
        for (Rule rule : rules) {
            rule.keywords().stream()
                    .filter(keyword -> keyword.length() >= MIN_KEYWORD)
                    .flatMap(keyword -> spellings(rule, keyword).stream())
                    .flatMap(keyword -> digits(keyword).stream())
                    .forEach(digits -> leads.computeIfAbsent(digits, unused -> new LinkedHashSet<>())
                            .add(rule));
        }
        leads.forEach((digits, those) -> keywords.addExactly(
                digits.getKey(), new Base64Lead(List.copyOf(those), digits.getKey(), digits.getValue())));
    }

    private static Set<String> spellings(Rule rule, String keyword) {
        if (rule.rank() == FoundSecret.Rank.FORMAT) {
            return Set.of(keyword);
        }
        String small = keyword.toLowerCase(Locale.ROOT);
        String capital = small.substring(0, 1).toUpperCase(Locale.ROOT) + small.substring(1);
        return Set.copyOf(List.of(keyword, small, capital, keyword.toUpperCase(Locale.ROOT)));
    }

    /** The digits that a keyword has, and how many bytes then stand before it. */
    private static List<Map.Entry<String, Integer>> digits(String keyword) {
        List<Map.Entry<String, Integer>> all = new ArrayList<>();
        for (int before = 0; before < 3; before++) {
            String digits = KnownValue.base64(keyword.getBytes(StandardCharsets.UTF_8), before);
            digits = digits.substring(0, Math.min(MAX_DIGITS, digits.length()));
            all.add(Map.entry(digits, before));
            all.add(Map.entry(digits.replace('+', '-').replace('/', '_'), before));
        }
        return all;
    }

    @Override
    public void follow(Search search, int from, int to) {
        String text = search.text();
        int phase = before == 0 ? 0 : before + 1;
        if (!text.startsWith(digits, from)) {
            return; // in the other case it is something else
        }
        Base64Runs.@Nullable Run run = search.base64().known(from, phase);
        if (run == null && !Base64Runs.isRun(text, from - phase, from)) {
            return; // its group begins before the run does
        }
        String beginning = run == null ? Base64Runs.beginning(text, from - phase, before) : "";
        boolean isWhole = beginning.length() < Base64Runs.BEGINNING - before;
        for (Rule rule : rules) {
            if ((run != null || rule.mayBegin(beginning, isWhole)) && from >= search.doneBy(rule)) {
                run = run == null ? search.base64().decode(text, from, phase) : run;
                follow(search, from, run, rule);
            }
        }
    }

    private void follow(Search search, int from, Base64Runs.Run run, Rule rule) {
        search.reachFar();
        int keyword = run.digitAt(from) / 4 * 3 + before;
        int end = rule.tryAt(search, run.bytes(), keyword, found -> search.found(place(found, run)));
        if (end > 0) {
            search.done(rule, run.to(end));
        }
    }

    private static FoundSecret place(FoundSecret found, Base64Runs.Run run) {
        return new FoundSecret(run.from(found.from()), run.to(found.to()), found.kind(), found.rank(), found.secret());
    }
}

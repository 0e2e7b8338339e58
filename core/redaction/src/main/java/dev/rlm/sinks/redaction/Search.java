package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.LazyDfa;
import dev.rlm.sinks.redaction.regex.SearchDeadline;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The search for secrets in one text, and what it has come to so far. For one thread. */
final class Search {
    private final String text;
    private final SearchDeadline deadline;
    private final List<FoundSecret> findings = new ArrayList<>();
    private final List<FoundSecret> replaced = new ArrayList<>();
    private final List<Occurrence> occurrences = new ArrayList<>();
    private final Base64Runs base64 = new Base64Runs();
    private boolean escaped;
    private @Nullable IdentityHashMap<Object, Integer> done; // most texts need none
    private @Nullable IdentityHashMap<String, IdentityHashMap<Object, Integer>> barren;
    private final LazyDfa.Traces traces;

    Search(String text, SearchDeadline deadline) {
        this.text = text;
        this.deadline = deadline;
        this.traces = new LazyDfa.Traces(deadline);
    }

    String text() {
        return text;
    }

    SearchDeadline deadline() {
        return deadline;
    }

    Base64Runs base64() {
        return base64;
    }

    /** Follows a keyword's lead, and notes its occurrence. */
    void follow(Lead lead, int from, int to) {
        occurrences.add(new Occurrence(lead, from, to));
        lead.follow(this, from, to);
    }

    /** Notes that what the lead comes to that is followed now may depend on characters far from its keyword. */
    void reachFar() {
        occurrences.get(occurrences.size() - 1).reachFar();
    }

    List<Occurrence> occurrences() {
        return occurrences;
    }

    /** Notes that there are escapes in the text that may be within a secret; that they begin here needs no note then. */
    void escaped() {
        escaped = true;
        occurrences.remove(occurrences.size() - 1);
    }

    boolean isEscaped() {
        return escaped;
    }

    void found(FoundSecret finding) {
        findings.add(finding);
    }

    /** Notes what stands for a secret already, and is not touched again. */
    void replaced(FoundSecret mark) {
        replaced.add(mark);
    }

    List<FoundSecret> findings() {
        return findings;
    }

    List<FoundSecret> replaced() {
        return replaced;
    }

    /** Up to where the finder need not look any more: the rest of what it has looked at is part of that. */
    int doneBy(Object finder) {
        return done == null ? 0 : done.getOrDefault(finder, 0);
    }

    void done(Object finder, int to) {
        if (done == null) {
            done = new IdentityHashMap<>();
        }
        done.put(finder, to);
    }

    /** Up to where no keyword leads to a secret that the finder finds in this text, or in what is decoded from it. */
    int barren(Object finder, String text) {
        IdentityHashMap<Object, Integer> known = barren == null ? null : barren.get(text);
        return known == null ? 0 : known.getOrDefault(finder, 0);
    }

    void barren(Object finder, String text, int to) {
        barren = barren == null ? new IdentityHashMap<>() : barren;
        barren.computeIfAbsent(text, unused -> new IdentityHashMap<>()).put(finder, to);
    }

    /** Returns what automata know of this text, and of what is decoded from it. */
    LazyDfa.Traces traces() {
        return traces;
    }
}

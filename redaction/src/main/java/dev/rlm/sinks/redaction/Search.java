package dev.rlm.sinks.redaction;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The search for secrets in one text, and what it has come to so far. For one thread. */
final class Search {
    private final String text;
    private final Deadline deadline;
    private final List<Finding> findings = new ArrayList<>();
    private final List<Finding> replaced = new ArrayList<>();
    private final Base64Runs base64 = new Base64Runs();
    private boolean escaped;
    private @Nullable IdentityHashMap<Object, Integer> done; // most texts need none

    Search(String text, Deadline deadline) {
        this.text = text;
        this.deadline = deadline;
    }

    String text() {
        return text;
    }

    Deadline deadline() {
        return deadline;
    }

    Base64Runs base64() {
        return base64;
    }

    /** Notes that there are escapes in the text that may be within a secret. */
    void escaped() {
        escaped = true;
    }

    boolean isEscaped() {
        return escaped;
    }

    void found(Finding finding) {
        findings.add(finding);
    }

    /** Notes what stands for a secret already, and is not touched again. */
    void replaced(Finding mark) {
        replaced.add(mark);
    }

    List<Finding> findings() {
        return findings;
    }

    List<Finding> replaced() {
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
}

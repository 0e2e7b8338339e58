package dev.rlm.sinks.redaction;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A text with marks in the place of its secrets. */
final class Masked {
    private final List<FoundSecret> merged = new ArrayList<>();

    /** Findings that overlap become one, which goes by the most telling of them; marks that are there are left out. */
    Masked(List<FoundSecret> findings, List<FoundSecret> marks) {
        List<FoundSecret> sorted = new ArrayList<>();
        findings.forEach(finding -> addWithout(marks, finding, sorted));
        sorted.sort(FoundSecret.PLACE.thenComparing(FoundSecret.TELLING));
        for (FoundSecret finding : sorted) {
            FoundSecret last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last == null || finding.from() >= last.to()) {
                merged.add(finding);
            } else {
                merged.set(merged.size() - 1, union(last, finding));
            }
        }
    }

    private static void addWithout(List<FoundSecret> marks, FoundSecret finding, List<FoundSecret> into) {
        int from = finding.from();
        for (FoundSecret mark : marks) { // they come in order, and do not overlap
            if (mark.to() > from && mark.from() < finding.to()) {
                add(finding, from, mark.from(), into);
                from = mark.to();
            }
        }
        add(finding, from, finding.to(), into);
    }

    private static void add(FoundSecret finding, int from, int to, List<FoundSecret> into) {
        if (from < to) {
            into.add(new FoundSecret(from, to, finding.kind(), finding.rank(), finding.secret()));
        }
    }

    private static FoundSecret union(FoundSecret a, FoundSecret b) {
        FoundSecret best = FoundSecret.TELLING.compare(a, b) >= 0 ? a : b;
        int to = Math.max(a.to(), b.to());
        return new FoundSecret(a.from(), to, best.kind(), best.rank(), best.secret());
    }

    List<FoundSecret> findings() {
        return merged;
    }

    /** The text with what the function makes of each finding in its place. */
    String of(String text, Function<FoundSecret, String> mark) {
        if (merged.isEmpty()) {
            return text;
        }
        StringBuilder masked = new StringBuilder(text.length());
        int from = 0;
        for (FoundSecret finding : merged) {
            masked.append(text, from, finding.from()).append(mark.apply(finding));
            from = finding.to();
        }
        return masked.append(text, from, text.length()).toString();
    }
}

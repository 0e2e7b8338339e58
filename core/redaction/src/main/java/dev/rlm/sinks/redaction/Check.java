package dev.rlm.sinks.redaction;

import dev.rlm.sinks.redaction.regex.LazyDfa;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Decides whether a value that stands where secrets do is one.
 *
 * @param without what no secret has in it, each behind all that may stand before it
 * @param digits how many digits a secret has at least
 * @param changes how often a digit follows a letter or a letter a digit in it at least
 * @param most how long a secret is at most that stands within a value which is none
 */
record Check(Predicate<String> test, List<LazyDfa> without, int digits, int changes, int most) {
    static final int LONGEST = 11; // characters of what no secret has in it
    static final Check NONE = of(value -> true);

    static Check of(Predicate<String> test) {
        return new Check(test, List.of(), 0, 0, Integer.MAX_VALUE);
    }

    Check and(Check other) {
        return new Check(
                test.and(other.test),
                Stream.concat(without.stream(), other.without.stream()).toList(),
                Math.max(digits, other.digits),
                Math.max(changes, other.changes),
                Math.min(most, other.most));
    }

    /** Returns whether too few digits stand there for a secret to be among them. */
    boolean isPoor(String text, int from, int to) {
        int missing = to <= text.length() ? digits : 0;
        for (int i = from; i < to && missing > 0; i++) {
            missing -= Plausible.kind(text.charAt(i)) < 0 ? 1 : 0;
        }
        return missing > 0;
    }

    /** Returns up to where in a value that is no secret none begins, if it ends where the value does. */
    int barren(String value) {
        int last = lastBeginning(value);
        if (last < 0) {
            return value.length();
        }
        int barren = Math.max(0, value.length() - most);
        for (LazyDfa each : without) {
            for (int end = each.end(value, 0, null); end >= 0; end = each.end(value, end, null)) {
                barren = Math.max(barren, end - LONGEST + 1);
            }
        }
        return barren <= last ? barren : value.length();
    }

    /** Returns where the shortest value begins that has as many digits and changes as it needs; -1 for none. */
    private int lastBeginning(String value) {
        int missingDigits = digits;
        int missingChanges = changes;
        int from = value.length();
        int after = 0;
        while (from > 0 && (missingDigits > 0 || missingChanges > 0)) {
            int kind = Plausible.kind(value.charAt(--from));
            missingDigits -= kind < 0 ? 1 : 0;
            missingChanges -= kind * after < 0 ? 1 : 0;
            after = kind;
        }
        return missingDigits > 0 || missingChanges > 0 ? -1 : from;
    }
}

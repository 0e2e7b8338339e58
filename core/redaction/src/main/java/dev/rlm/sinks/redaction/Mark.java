package dev.rlm.sinks.redaction;

import dev.rlm.sinks.Redactor;
import java.util.function.Predicate;

/**
 * Mark that stands for a secret: {@code [REDACTED:kind:hash]}. Where such a mark stands already, because the text comes from a
 * journal, it is left as it is.
 *
 * @param isKind which kinds there are: a mark of another one may hold a secret in the place of its kind
 */
record Mark(Predicate<String> isKind) implements Lead {
    static final String BEGIN = "[REDACTED:";
    static final String FAILED = "failed";

    private static final int HASH = 8;

    static String of(String kind, String hash) {
        return BEGIN + kind + ":" + hash + "]";
    }

    @Override
    public void follow(Search search, int from, int to) {
        String text = search.text();
        int end = text.indexOf(']', to);
        if (text.startsWith(BEGIN, from)
                && end > 0
                && end - to <= Redactor.MAX_KIND + 1 + HASH
                && isMark(text.substring(to, end))) {
            search.replaced(new FoundSecret(from, end + 1, "", FoundSecret.Rank.VALUE, ""));
        }
    }

    private boolean isMark(String name) {
        int hash = name.indexOf(':') + 1;
        if (hash == 0) {
            return name.equals(FAILED);
        }
        return name.length() == hash + HASH
                && isKind.test(name.substring(0, hash - 1))
                && name.substring(hash).chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    }
}

package dev.rlm.sinks.event;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The header {@code tracestate} of W3C Trace Context: a list of entries, one a tracing system. */
final class Tracestate {
    private static final int MAX_ENTRIES = 32;
    private static final int MAX_LENGTH = 512; // what everybody is asked to pass on
    private static final int LONG_ENTRY = 128;

    private static final String KEY_REST = "[a-z0-9_\\-*/]";
    private static final Pattern ENTRY =
            Pattern.compile("([a-z0-9]" + KEY_REST + "{0,255}|[a-z0-9]" + KEY_REST + "{0,240}@[a-z]" + KEY_REST
                    + "{0,13})" + "=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]");

    private Tracestate() {}

    /** The header without blanks between its entries; {@code null} where it is not valid, as the specification says. */
    static @Nullable String valid(String header) {
        List<String> entries = new ArrayList<>();
        for (String part : header.split(",", MAX_ENTRIES * 2)) {
            String entry = part.strip();
            if (!entry.isEmpty()) {
                entries.add(entry);
            }
        }
        boolean valid = entries.size() <= MAX_ENTRIES
                && entries.stream().allMatch(entry -> ENTRY.matcher(entry).matches());
        return valid && !entries.isEmpty() ? cut(entries) : null;
    }

    /** Cuts what is too long: the long entries first and then the last ones, the oldest. */
    private static @Nullable String cut(List<String> entries) {
        String header = String.join(",", entries);
        if (header.length() > MAX_LENGTH) {
            entries.removeIf(entry -> entry.length() > LONG_ENTRY);
            header = String.join(",", entries);
        }
        while (header.length() > MAX_LENGTH) {
            entries.remove(entries.size() - 1);
            header = String.join(",", entries);
        }
        return header.isEmpty() ? null : header;
    }
}

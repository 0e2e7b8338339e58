package dev.rlm.sinks.schema.statistics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Messages counted by what they say. Those that differ in numbers, ids, addresses or quoted words alone are one group, which
 * is shown with {@code …} where they differ. There are at most {@value #MAX_GROUPS} groups; what fits none of them then is
 * counted together. Not thread-safe.
 */
public final class MessageGroups {
    /** Stands for all messages beyond the groups that are kept. */
    public static final String OTHERS = "(other messages)";

    private static final int MAX_GROUPS = 100;
    private static final int MAX_LENGTH = 200;
    private static final char SLOT = '\0';
    private static final String VARIES = "…";
    private static final Pattern SPACE = Pattern.compile("[\\s\\p{Cntrl}]+");
    private static final Pattern PART = Pattern.compile("(\\b(?:status|HTTP(?:/[\\d.]+)?|exit(?: code| value)?)"
            + "[ =:]+\\d{1,3}\\b)" // tells causes apart
            + "|(?<!\\w)'[^']*(?:'(?!\\w)|$)|\"[^\"]*(?:\"|$)|`[^`]*(?:`|$)" // quoted
            + "|\\b(?=[\\w-]*\\d)[\\w-]{12,}\\b" // ids
            + "|\\b0x[0-9a-fA-F]+\\b|@[0-9a-f]{4,8}\\b" // addresses in memory
            + "|\\d+(?:\\.\\d+)*");

    private final Map<String, Group> groups = new LinkedHashMap<>();
    private long others;
    private long total;

    /** Counts a message; its line breaks are spaces, and of a long one the beginning counts. */
    public void add(String message) {
        total++;
        String text = cut(SPACE.matcher(message).replaceAll(" ").strip());
        List<String> slots = new ArrayList<>();
        String key = PART.matcher(text)
                .replaceAll(part ->
                        part.group(1) == null ? slot(part.group(), slots) : Matcher.quoteReplacement(part.group()));
        Group group = groups.get(key);
        if (group != null) {
            group.add(slots);
        } else if (groups.size() < MAX_GROUPS) {
            groups.put(key, new Group(key, slots));
        } else {
            others++;
        }
    }

    private static String slot(String value, List<String> slots) {
        slots.add(value);
        return String.valueOf(SLOT);
    }

    private static String cut(String text) {
        return text.codePointCount(0, text.length()) <= MAX_LENGTH
                ? text
                : text.substring(0, text.offsetByCodePoints(0, MAX_LENGTH)) + VARIES;
    }

    /** The number of messages. */
    public long total() {
        return total;
    }

    /** The groups, the most frequent first; then what is counted together, if there is anything. */
    public List<Count> counts() {
        List<Count> counts = new ArrayList<>(groups.values().stream()
                .map(group -> new Count(group.text(), group.count))
                .sorted(Comparator.comparingLong(Count::messages).reversed().thenComparing(Count::text))
                .toList());
        if (others > 0) {
            counts.add(new Count(OTHERS, others));
        }
        return counts;
    }

    /** The most frequent groups in a line each, and how many there are beyond them. */
    public List<String> lines(int most) {
        List<Count> counts = counts();
        List<String> lines = new ArrayList<>();
        counts.stream()
                .limit(most)
                .forEach(count ->
                        lines.add(count.messages() + " × " + (count.text().isEmpty() ? "(no message)" : count.text())));
        if (counts.size() > most) {
            long rest = counts.stream().skip(most).mapToLong(Count::messages).sum();
            lines.add("and " + rest + " more, of " + (counts.size() - most) + " other "
                    + (counts.size() == most + 1 ? "kind" : "kinds"));
        }
        return lines;
    }

    /**
     * A group.
     *
     * @param text text of its messages; empty for those that say nothing
     * @param messages number of its messages
     */
    public record Count(String text, long messages) {}

    private static final class Group {
        private final String key;
        private final List<String> slots;
        private long count = 1;

        Group(String key, List<String> slots) {
            this.key = key;
            this.slots = slots;
        }

        void add(List<String> others) {
            count++;
            for (int i = 0; i < slots.size(); i++) {
                if (!slots.get(i).equals(others.get(i))) {
                    slots.set(i, VARIES);
                }
            }
        }

        String text() {
            StringBuilder text = new StringBuilder(key);
            for (int i = slots.size() - 1, at = key.length(); i >= 0; i--) {
                at = text.lastIndexOf(String.valueOf(SLOT), at - 1);
                text.replace(at, at + 1, slots.get(i));
            }
            return text.toString();
        }
    }
}

package dev.rlm.runs;

import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.SampleKey;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Orders names as people do: numbers in them count by their size, so that {@code step-9} comes before {@code step-10}. */
public final class NaturalOrder implements Comparator<String> {
    public static final NaturalOrder INSTANCE = new NaturalOrder();

    /** By the first name that differs, of as many. */
    public static final Comparator<List<String>> LISTS = NaturalOrder::compareLists;

    public static final Comparator<SampleKey> SAMPLES = Comparator.comparing(SampleKey::environment)
            .thenComparing(SampleKey::split)
            .thenComparing(SampleKey::sample, INSTANCE)
            .thenComparing(SampleKey::lonelyRun);

    public static final Comparator<GroupKey> GROUPS = Comparator.comparing(GroupKey::sample, SAMPLES)
            .thenComparing(GroupKey::model)
            .thenComparing(GroupKey::trainStep, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(GroupKey::epoch, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(GroupKey::policyVersion, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(GroupKey::experiment, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(GroupKey::trainerRun, Comparator.nullsFirst(Comparator.naturalOrder()));

    private NaturalOrder() {}

    private static int compareLists(List<String> one, List<String> other) {
        return IntStream.range(0, one.size())
                .map(i -> INSTANCE.compare(one.get(i), other.get(i)))
                .filter(order -> order != 0)
                .findFirst()
                .orElse(0);
    }

    @Override
    public int compare(String one, String other) {
        int i = 0;
        int j = 0;
        while (i < one.length() && j < other.length()) {
            int oneEnd = end(one, i);
            int otherEnd = end(other, j);
            int order = compareParts(one.substring(i, oneEnd), other.substring(j, otherEnd));
            if (order != 0) {
                return order;
            }
            i = oneEnd;
            j = otherEnd;
        }
        int rest = Integer.compare(one.length() - i, other.length() - j);
        return rest == 0 ? one.compareTo(other) : rest;
    }

    /** Returns the end, exclusive, of the number that begins at {@code from}, or of the single character there. */
    private static int end(String text, int from) {
        int end = from;
        while (end < text.length() && isDigit(text.charAt(end))) {
            end++;
        }
        return end == from ? from + 1 : end;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int compareParts(String one, String other) {
        if (!isDigit(one.charAt(0)) || !isDigit(other.charAt(0))) {
            return one.compareTo(other);
        }
        String digits = withoutLeadingZeros(one);
        String otherDigits = withoutLeadingZeros(other);
        int length = Integer.compare(digits.length(), otherDigits.length());
        return length == 0 ? digits.compareTo(otherDigits) : length;
    }

    private static String withoutLeadingZeros(String digits) {
        int from = 0;
        while (from < digits.length() - 1 && digits.charAt(from) == '0') {
            from++;
        }
        return digits.substring(from);
    }
}

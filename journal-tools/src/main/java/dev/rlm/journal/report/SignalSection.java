package dev.rlm.journal.report;

import dev.rlm.sinks.schema.GroupKey;
import dev.rlm.sinks.schema.statistics.Group;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Groups in which all attempts have the same reward: there is nothing to learn from what they differ in. */
final class SignalSection {
    private static final int SHOWN = 5;

    private SignalSection() {}

    static void print(RowFigures all, Sheet sheet) {
        List<Map.Entry<GroupKey, Group>> flat = all.groupsWithoutSignal();
        sheet.line("groups without learning signal (all rewards the same): " + flat.size() + " of "
                + all.groups().comparable() + " with two usable rewards or more" + rewards(flat));
        if (!flat.isEmpty()) {
            String more = flat.size() > SHOWN ? " … (" + (flat.size() - SHOWN) + " more; --json lists all)" : "";
            sheet.line("such as "
                    + flat.stream()
                            .limit(SHOWN)
                            .map(entry -> name(entry.getKey()))
                            .collect(Collectors.joining("; ")) + more);
        }
    }

    /** The usual rewards, by how many groups have them. */
    private static String rewards(List<Map.Entry<GroupKey, Group>> flat) {
        Map<String, Long> counts = flat.stream()
                .collect(Collectors.groupingBy(
                        entry -> Numbers.of(entry.getValue().reward()), Collectors.counting()));
        return counts.isEmpty()
                ? ""
                : counts.entrySet().stream()
                        .sorted(Map.Entry.<String, Long>comparingByValue()
                                .reversed()
                                .thenComparing(Map.Entry.comparingByKey()))
                        .limit(SHOWN)
                        .map(entry -> entry.getValue() + " at " + entry.getKey())
                        .collect(Collectors.joining(", ", ": ", counts.size() > SHOWN ? ", …" : ""));
    }

    private static String name(GroupKey key) {
        return Stream.of(
                        part("", key.sample().sample()),
                        part("", key.model()),
                        part("policy ", key.policyVersion()),
                        part("epoch ", key.epoch()),
                        part("step ", key.trainStep()))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(" "));
    }

    private static String part(String kind, @Nullable Object value) {
        return value == null || value.toString().isEmpty() ? "" : kind + value;
    }
}

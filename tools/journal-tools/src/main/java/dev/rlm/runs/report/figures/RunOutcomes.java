package dev.rlm.runs.report.figures;

import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.schema.statistics.MessageGroups;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The ways in which runs ended, with what was said of them. */
public final class RunOutcomes {
    private final Map<End, MessageGroups> ends = new HashMap<>();
    private final MessageGroups failures = new MessageGroups();
    private final Map<Layer, Long> layers = new EnumMap<>(Layer.class);

    void add(RunSummary run) {
        RunEnded end = run.row().end();
        String message = end == null ? "" : end.status().message();
        ends.computeIfAbsent(new End(run.state().label(), reason(run, end)), key -> new MessageGroups())
                .add(message);
        if (run.state() == RunState.FAILED) {
            failures.add(message);
        }
        Layer layer = Layer.of(run);
        if (layer != null) {
            layers.merge(layer, 1L, Long::sum);
        }
    }

    private static String reason(RunSummary run, @Nullable RunEnded end) {
        if (end == null) {
            return run.state() == RunState.RUNNING ? "" : "no end was recorded";
        } else if (end.errorType() != null) {
            return end.errorType();
        }
        return end.terminationReason() == null ? "" : end.terminationReason();
    }

    /** The messages of those that have failed, whatever they threw. */
    public MessageGroups failures() {
        return failures;
    }

    /** Returns how many have failed in each part of the system in which any has, the most first. */
    public Stream<NamedFigures> layers() {
        return layers.entrySet().stream()
                .sorted(Map.Entry.<Layer, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .map(layer ->
                        new NamedFigures().put("layer", layer.getKey().field()).put("runs", layer.getValue()));
    }

    /** The most frequent first. */
    public List<NamedFigures> all() {
        return ends.entrySet().stream()
                .sorted(Comparator.<Map.Entry<End, MessageGroups>>comparingLong(
                                end -> end.getValue().total())
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey(
                                Comparator.comparing(End::state).thenComparing(End::reason))))
                .map(end -> new NamedFigures()
                        .put("state", end.getKey().state())
                        .name("reason", end.getKey().reason())
                        .put("runs", end.getValue().total())
                        .put(
                                "messages",
                                end.getValue().counts().stream()
                                        .filter(message -> !message.text().isEmpty())
                                        .map(message -> new NamedFigures()
                                                .put("message", message.text())
                                                .put("runs", message.messages()))))
                .toList();
    }

    /**
     * A way to end.
     *
     * @param state as people see it
     * @param reason the class of the error, or the termination reason; empty for neither
     */
    private record End(String state, String reason) {}
}

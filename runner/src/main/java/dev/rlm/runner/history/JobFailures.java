package dev.rlm.runner.history;

import dev.rlm.cli.terminal.Printable;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.schema.statistics.MessageGroups;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Failures of the runs of a job: those of the same class that were thrown at the same place are one. Not thread-safe. */
final class JobFailures {
    private static final int SHOWN = 20;
    private static final int RUNS_SHOWN = 5;
    private static final int MESSAGES_SHOWN = 3;
    private static final Pattern FRAME =
            Pattern.compile("^\\s+(?:at |File \").*", Pattern.MULTILINE); // Java's, Python's

    private final Map<String, Failure> failures = new LinkedHashMap<>();

    private JobFailures() {}

    /** Reads those of the runs that have failed. */
    static JobFailures of(Journal journal, Collection<RunSummary> runs) {
        JobFailures failures = new JobFailures();
        List<RunSummary> failed =
                runs.stream().filter(run -> run.state() == RunState.FAILED).toList();
        journal.read(
                failed,
                Set.of(RunEnded.class),
                (run, events) -> events.stream()
                        .filter(RunEnded.class::isInstance)
                        .map(RunEnded.class::cast)
                        .forEach(failures::add));
        return failures;
    }

    private void add(RunEnded end) {
        String error = end.error() == null ? "" : end.error().text();
        String frames =
                FRAME.matcher(error).results().map(frame -> frame.group()).collect(Collectors.joining());
        failures.computeIfAbsent(end.errorType() + frames, key -> new Failure(end.errorType(), end.error()))
                .add(end);
    }

    private List<Failure> mostFrequentFirst() {
        return failures.values().stream()
                .sorted(Comparator.comparingLong((Failure failure) -> failure.messages.total())
                        .reversed())
                .toList();
    }

    void print(PrintWriter out) {
        List<Failure> all = mostFrequentFirst();
        all.stream().limit(SHOWN).forEach(failure -> failure.print(out));
        if (all.size() > SHOWN) {
            out.println("… " + (all.size() - SHOWN) + " more kinds of failures (--json has all)");
        }
    }

    List<Map<String, @Nullable Object>> fields() {
        return mostFrequentFirst().stream().map(Failure::fields).toList();
    }

    private static final class Failure {
        private final @Nullable String type;
        private final @Nullable Content error; // of the first
        private final MessageGroups messages = new MessageGroups();
        private final List<String> runs = new ArrayList<>();

        Failure(@Nullable String type, @Nullable Content error) {
            this.type = type;
            this.error = error;
        }

        void add(RunEnded end) {
            messages.add(end.status().message());
            runs.add(end.run().runId());
        }

        void print(PrintWriter out) {
            out.println("failed: " + Printable.line(String.join("; ", messages.lines(MESSAGES_SHOWN))));
            out.println("  runs: "
                    + runs.stream().limit(RUNS_SHOWN).map(Printable::line).collect(Collectors.joining(", "))
                    + (runs.size() > RUNS_SHOWN ? " and " + (runs.size() - RUNS_SHOWN) + " more" : ""));
            String trace = error == null ? Objects.requireNonNullElse(type, "") : error.text();
            trace.lines().forEach(line -> out.println("  " + Printable.line(line)));
        }

        Map<String, @Nullable Object> fields() {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put("error_type", type);
            fields.put(
                    "messages",
                    messages.counts().stream()
                            .map(count -> Map.of("message", count.text(), "runs", count.messages()))
                            .toList());
            fields.put("runs", runs);
            fields.put("stack_trace", error == null ? null : error.text());
            return fields;
        }
    }
}

package dev.rlm.cli.backend;

import static java.util.stream.Collectors.toUnmodifiableSet;

import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.RunEvent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What journals say of runs, to hold a back end's answers against. */
public record JournalFigures(List<RunEvent> events) {

    /** Reads each journal once, whatever number of runs it has. */
    public static JournalFigures of(Collection<Path> journals) {
        List<RunEvent> events = new ArrayList<>();
        for (Path directory : journals) {
            Journal journal = Journal.open(directory);
            journal.read(journal.runs(), (run, itsEvents) -> events.addAll(itsEvents));
        }
        return new JournalFigures(List.copyOf(events));
    }

    public <E extends RunEvent> Stream<E> all(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast);
    }

    /** The traces of the runs to which these events belong. */
    public <E extends RunEvent> Set<String> traces(Class<E> type, Predicate<E> which) {
        return all(type)
                .filter(which)
                .map(event -> traceId(event.run().runId()))
                .collect(toUnmodifiableSet());
    }

    public static String traceId(String runId) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(runId.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}

package dev.rlm.journal;

import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.journal.search.JournalSearch;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What a journal tells to its readers, wherever its lines lie. */
public record JournalContents(
        Map<String, List<RunEvent>> events,
        Map<String, String> summaries,
        Map<String, LedgerReported> ledgers,
        List<MetricsReported> metrics,
        long damagedLines,
        List<String> found) {
    public static JournalContents of(Journal journal) {
        Map<String, List<RunEvent>> events = new LinkedHashMap<>();
        journal.read(journal.runs(), (run, all) -> events.put(run.runId(), all));
        Map<String, String> summaries = new LinkedHashMap<>();
        journal.runs()
                .forEach(run -> summaries.put(
                        run.runId(),
                        List.of(run.state(), run.steps(), run.rewards(), run.events(), run.run(), run.isIncomplete())
                                + " "
                                + run.end()));
        Map<String, LedgerReported> ledgers = new TreeMap<>();
        journal.ledgers().forEach((folder, ledger) -> ledgers.put(String.valueOf(folder.getFileName()), ledger));
        return new JournalContents(
                new TreeMap<>(events),
                summaries,
                ledgers,
                journal.metrics(),
                journal.damagedLines(),
                found(journal.directory()));
    }

    private static List<String> found(Path directory) {
        List<String> found = new ArrayList<>();
        JournalSearch.run(directory, new Everything(), found::add);
        return found.stream().sorted().toList();
    }

    /** Makes the files look as if they had been written a while ago, so that their indexes are kept. */
    public static void settle(Path directory) throws IOException {
        FileTime ago = FileTime.from(Instant.parse("2026-03-02T00:00:00Z"));
        for (Path file : files(directory, file -> true)) {
            Files.setLastModifiedTime(file, ago);
        }
    }

    public static List<Path> files(Path directory, Predicate<String> name) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(PrivateFiles::isFile)
                    .filter(file -> name.test(file.getFileName().toString()))
                    .sorted()
                    .toList();
        }
    }

    private static final class Everything implements JournalSearch.Finder<String> {
        @Override
        public String literal() {
            return "";
        }

        @Override
        public boolean ignoresCase() {
            return false;
        }

        @Override
        public boolean wants(String runId) {
            return true;
        }

        @Override
        public String find(RunEvent event) {
            return event.run().runId() + " " + event.seq();
        }
    }
}

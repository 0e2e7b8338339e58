package dev.rlm.runs.search;

import dev.rlm.journal.search.JournalSearch;
import dev.rlm.sinks.event.RunEvent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Search for a pattern in the texts of a journal. */
public final class TextSearch {
    private TextSearch() {}

    /**
     * Hands over hits, the latest first, until there are no more, the taker has enough or the thread is interrupted.
     *
     * @param runs which to search, by their ids; asked on any thread
     * @param taker returns whether it wants more
     * @return how many damaged lines were passed over
     */
    public static long hits(Path journal, TextPattern pattern, Predicate<String> runs, Predicate<Hit> taker) {
        return JournalSearch.run(
                journal,
                new Finder<>(pattern, runs, event -> hits(event, pattern)),
                hits -> hits.stream().allMatch(taker));
    }

    /** Returns the ids of the runs in which the pattern is found. */
    public static Set<String> runs(Path journal, TextPattern pattern) {
        Set<String> found = ConcurrentHashMap.newKeySet();
        JournalSearch.run(
                journal,
                new Finder<>(
                        pattern,
                        run -> !found.contains(run),
                        event -> hits(event, pattern) == null
                                ? null
                                : found.add(event.run().runId())),
                ignored -> true);
        return found;
    }

    /** Returns a hit for each of its texts that has one; {@code null} where none has. */
    private static @Nullable List<Hit> hits(RunEvent event, TextPattern pattern) {
        List<Hit> hits = new ArrayList<>();
        EventTexts.of(event, (field, text) -> {
            TextPattern.Match match = pattern.find(text);
            if (match != null) {
                hits.add(Hit.of(event, field, text, match));
            }
        });
        return hits.isEmpty() ? null : hits;
    }

    private record Finder<T>(TextPattern pattern, Predicate<String> runs, Function<RunEvent, @Nullable T> finding)
            implements JournalSearch.Finder<T> {
        @Override
        public String literal() {
            return pattern.literal();
        }

        @Override
        public boolean ignoresCase() {
            return pattern.ignoresCase();
        }

        @Override
        public boolean wants(String runId) {
            return runs.test(runId);
        }

        @Override
        public @Nullable T find(RunEvent event) {
            return finding.apply(event);
        }
    }
}

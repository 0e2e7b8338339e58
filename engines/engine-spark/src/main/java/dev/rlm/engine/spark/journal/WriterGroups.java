package dev.rlm.engine.spark.journal;

import dev.rlm.journal.Journal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Division of a journal into parts that have no run in common: writers that recorded the same run are in one part. */
final class WriterGroups {
    private static final long PART = 64 << 20; // bytes of files that are worth a task

    private WriterGroups() {}

    /** Returns the parts. Where there are several writers, Spark looks which runs each of them has. */
    static List<JournalPart> of(Path journal, List<Path> folders, @Nullable String index) {
        List<String> writers = folders.stream().map(Path::toString).toList();
        int[] group = IntStream.range(0, writers.size()).toArray(); // by writer: a writer of its group
        if (writers.size() > 1) {
            join(runs(journal.toString(), writers, index), group);
        }
        Map<Integer, List<String>> groups = new LinkedHashMap<>();
        for (int i = 0; i < group.length; i++) {
            groups.computeIfAbsent(group[i], first -> new ArrayList<>()).add(writers.get(i));
        }
        return parts(journal.toString(), groups.values(), index);
    }

    private static List<long[]> runs(String journal, List<String> writers, @Nullable String index) {
        return JavaSparkContext.fromSparkContext(SparkSession.active().sparkContext())
                .parallelize(writers, writers.size())
                .map(writer -> runs(new JournalPart(journal, List.of(writer), index).open()))
                .collect();
    }

    /**
     * Returns hashes of the ids of the runs, and of those that they may be parts of. Where two are the same by chance, two writers
     * are in one part for nothing.
     */
    private static long[] runs(Journal journal) {
        return Stream.concat(journal.runs().stream(), journal.onlyScored().stream())
                .flatMap(run -> Stream.of(run.runId(), Objects.requireNonNullElse(run.caller(), run.runId()))
                        .distinct())
                .mapToLong(id -> XXH64.hashUTF8String(UTF8String.fromString(id), 0))
                .toArray();
    }

    /** Joins the groups of writers that have the same run. */
    private static void join(List<long[]> runs, int[] group) {
        long[] all = runs.stream().flatMapToLong(LongStream::of).sorted().toArray();
        long[] shared = IntStream.range(1, all.length)
                .filter(i -> all[i] == all[i - 1])
                .mapToLong(i -> all[i])
                .distinct()
                .toArray();
        int[] owner = new int[shared.length];
        Arrays.fill(owner, -1);
        for (int writer = 0; writer < group.length; writer++) {
            for (long run : runs.get(writer)) {
                int at = Arrays.binarySearch(shared, run);
                if (at >= 0 && owner[at] >= 0) {
                    join(group, group[owner[at]], group[writer]);
                } else if (at >= 0) {
                    owner[at] = writer;
                }
            }
        }
    }

    private static void join(int[] group, int one, int other) {
        if (one != other) {
            Arrays.setAll(group, i -> group[i] == other ? one : group[i]);
        }
    }

    /** Returns parts of some size, in order. */
    private static List<JournalPart> parts(String journal, Collection<List<String>> groups, @Nullable String index) {
        List<JournalPart> parts = new ArrayList<>();
        List<String> part = new ArrayList<>();
        long size = 0;
        for (List<String> group : groups) {
            long more = group.stream().mapToLong(WriterGroups::size).sum();
            if (!part.isEmpty() && size + more > PART) {
                parts.add(new JournalPart(journal, List.copyOf(part), index));
                part.clear();
                size = 0;
            }
            part.addAll(group);
            size += more;
        }
        parts.add(new JournalPart(journal, List.copyOf(part), index));
        return parts;
    }

    private static long size(String writer) {
        try (Stream<Path> files = Files.list(Path.of(writer))) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

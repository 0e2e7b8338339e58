package dev.rlm.journal.search;

import dev.rlm.journal.JournalException;
import dev.rlm.journal.WriterFolders;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.SegmentPieces;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.line.BlocksAhead;
import dev.rlm.sinks.event.RunEvent;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Search for events in a journal, the latest first: it begins with the writer that started last, and goes through what each
 * has recorded from its end on. Lines whose bytes do not hold the text that is looked for are passed over unread. For one
 * thread, which others help.
 */
public final class JournalSearch<T> {
    private final SearchedLines<T> lines;
    private final Predicate<? super T> taker;
    private final BlocksAhead<SearchedPiece<T>> ahead = new BlocksAhead<>();
    private final Deque<Closeable> open = new ArrayDeque<>();
    private final CutLine<T> cut = new CutLine<>();
    private final Set<Event> seen = new HashSet<>(); // a group of lines may have been written twice
    private boolean enough;
    private long damaged;

    private JournalSearch(Finder<T> finder, Predicate<? super T> taker) {
        this.lines = new SearchedLines<>(finder);
        this.taker = taker;
    }

    /**
     * Searches the journal in a folder, or what one of its writers has recorded, until all is searched, the taker has
     * enough or the thread is interrupted. Lines found are handed over while the rest is searched.
     *
     * @param taker returns whether it wants more
     * @return number of damaged lines that were passed over: those that hold the text, and one for each part of a file
     *     that cannot be read
     * @throws JournalException if there is no journal, or it was written by a newer version
     */
    public static <T> long run(Path directory, Finder<T> finder, Predicate<? super T> taker) {
        JournalSearch<T> search = new JournalSearch<>(finder, taker);
        try {
            search.all(WriterFolders.existing(directory));
        } catch (IOException e) {
            if (!Thread.currentThread().isInterrupted()) {
                throw JournalException.unreadable(directory, e);
            }
        } finally {
            search.close();
        }
        return search.damaged;
    }

    private void all(List<Path> writers) throws IOException {
        Comparator<Path> byStart = Comparator.comparing(JournalSearch::startSecond);
        List<Path> inOrder = writers.stream()
                .sorted(byStart.thenComparing(folder -> folder.toFile().lastModified()))
                .toList();
        for (Path writer : reversed(inOrder)) {
            boolean live = WriterLock.isHeld(writer); // asked first: it may be in the middle of its last line
            damaged += Segment.impostors(writer).size();
            for (Segment segment : enough ? List.<Segment>of() : reversed(Segment.of(writer))) {
                search(segment, live);
                live = false;
            }
        }
        while (!ahead.isEmpty() && !enough) {
            take(ahead.next());
        }
    }

    /** Within a second the names of writers' folders tell nothing. */
    private static String startSecond(Path writer) {
        return String.valueOf(writer.getFileName()).split("-", 2)[0];
    }

    private static <E> List<E> reversed(List<E> list) {
        List<E> reversed = new ArrayList<>(list);
        Collections.reverse(reversed);
        return reversed;
    }

    private void search(Segment segment, boolean mayGrow) throws IOException {
        Optional<SegmentPieces> pieces = Optional.empty();
        try {
            pieces = SegmentPieces.of(segment);
        } catch (IOException e) {
            damaged++;
            return;
        }
        open.add(pieces.isPresent() ? pieces.get() : () -> {});
        Optional<SegmentPieces> all = pieces;
        for (int i = all.map(SegmentPieces::count).orElse(1) - 1; i >= 0 && !enough; i--) {
            int number = i;
            add(() -> all.isPresent() ? lines.in(segment, all.get(), number, mayGrow) : lines.in(segment));
        }
    }

    private void add(Callable<SearchedPiece<T>> piece) throws IOException {
        ahead.add(piece);
        while (ahead.isFull() && !enough) {
            take(ahead.next());
        }
    }

    private void take(SearchedPiece<T> piece) throws IOException {
        SearchedPiece<T> line = cut.take(piece, lines);
        handOver(line);
        handOver(piece);
        if (piece.isFirst()) {
            open.remove().close();
        }
        enough |= Thread.currentThread().isInterrupted();
    }

    private void handOver(SearchedPiece<T> piece) {
        damaged += piece.damaged();
        for (SearchedPiece.Found<T> found : reversed(piece.found())) {
            if (!enough && seen.add(new Event(found.runId(), found.seq()))) {
                enough = !taker.test(found.what());
            }
        }
    }

    private void close() {
        ahead.clear();
        for (Closeable pieces : open) {
            try {
                pieces.close();
            } catch (IOException e) {
                // it was read only
            }
        }
    }

    /** Decides what is found. Asked on any thread. */
    public interface Finder<T> {
        /** Returns a text that every event that is to be found has within one of its own; the empty one where there is none. */
        String literal();

        /** Returns whether the letters of ASCII in that text stand for both small and capital ones. */
        boolean ignoresCase();

        /** Returns whether events of that run are to be found. */
        boolean wants(String runId);

        /** Returns what there is in an event; {@code null} for nothing. */
        @Nullable
        T find(RunEvent event);
    }

    private record Event(String runId, long seq) {}
}

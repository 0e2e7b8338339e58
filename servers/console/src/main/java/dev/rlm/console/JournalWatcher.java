package dev.rlm.console;

import dev.rlm.journal.format.segment.WriterLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Changes of journals, found by looking at their files again and again: many file systems tell nothing. Counts each change, and tells
 * those who listen. Safe for use by several threads.
 */
final class JournalWatcher implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 250;
    private static final int SHARE = 10; // of the time, at most one in so many parts is for looking
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int MOST_STREAMS = 16;

    private final List<Path> journals;
    private final Set<EventStream> streams = new LinkedHashSet<>(); // guarded by itself
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "rlm-view-changes");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicLong cursor = new AtomicLong(1);
    private Map<Path, Long> seen; // by one thread at a time, as the next
    private long toldAt;

    /** Looks at those journals from now on. */
    JournalWatcher(List<Path> journals) {
        this.journals = List.copyOf(journals);
        this.seen = look(Map.of());
        again(INTERVAL_MILLIS);
    }

    /** Returns the number of the last change. */
    long cursor() {
        return cursor.get();
    }

    /** Tells of changes, until the connection ends; at once how many there were. Where too many listen, the first of them is left. */
    void listen(Response response, Callback callback) {
        EventStream stream = new EventStream(response, callback);
        synchronized (streams) {
            streams.removeIf(EventStream::isOver);
            if (streams.size() >= MOST_STREAMS) {
                EventStream first = streams.iterator().next();
                streams.remove(first);
                first.end(); // its page asks again, if it is still there
            }
            streams.add(stream);
        }
        stream.tell(cursor.get());
    }

    private List<EventStream> listeners() {
        synchronized (streams) {
            streams.removeIf(EventStream::isOver);
            return List.copyOf(streams);
        }
    }

    private void again(long millis) {
        var unused = timer.schedule(this::lookAgain, millis, TimeUnit.MILLISECONDS);
    }

    private void lookAgain() {
        long start = System.nanoTime();
        Map<Path, Long> now = look(seen);
        boolean changed = !now.equals(seen);
        if (changed) {
            seen = now;
            cursor.incrementAndGet();
        }
        if (changed || start - toldAt > SILENCE_NANOS) { // who is gone is noticed when it is told something
            toldAt = start;
            listeners().forEach(stream -> stream.tell(cursor.get()));
        }
        long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        again(Math.max(INTERVAL_MILLIS, took * SHARE));
    }

    /** Returns what tells a file from how it was, for each file; and of each folder whether its writer lives. */
    private Map<Path, Long> look(Map<Path, Long> before) {
        Map<Path, Long> now = new HashMap<>();
        for (Path journal : journals) {
            for (Path folder : entries(journal)) {
                if (Files.isDirectory(folder)) {
                    entries(folder).forEach(file -> now.put(file, stamp(file)));
                    boolean mayLive = !before.containsKey(folder) || before.getOrDefault(folder, 0L) == 1;
                    now.put(folder, mayLive && isHeld(folder) ? 1L : 0L);
                }
            }
        }
        return now;
    }

    private static List<Path> entries(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.toList();
        } catch (IOException e) {
            return List.of(); // it is not there yet, or not any more
        }
    }

    private static long stamp(Path file) {
        try {
            return 31 * Files.getLastModifiedTime(file).toMillis() + Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }

    private static boolean isHeld(Path folder) {
        try {
            return WriterLock.isHeld(folder);
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        listeners().forEach(EventStream::end);
    }
}

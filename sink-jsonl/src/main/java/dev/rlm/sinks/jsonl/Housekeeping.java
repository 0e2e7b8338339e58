package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.Compression;
import dev.rlm.journal.format.segment.InterruptedCompression;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.WriterLock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compresses the segments that a writer has closed, and deletes what the journal need not keep: one at a time, on a
 * thread of low priority of its own. A failure here costs room and nothing else.
 */
final class Housekeeping {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.jsonl");
    private static final long LARGE = 10_000_000;
    private static final Duration UNFINISHED_FOR = Duration.ofHours(1); // then no process is at it any more

    private final JournalSettings settings;
    private final Retention retention;
    private final Compression compression;
    private final Compression ofOthers;
    private final OwnFolder own;
    private boolean swept; // once; on the writing thread
    private boolean used; // on the writing thread
    private volatile boolean closing;
    private volatile boolean stopped;
    private final AtomicInteger compressed = new AtomicInteger();
    private volatile String problem = "";

    Housekeeping(JournalSettings settings, OwnFolder own, Artifacts artifacts) {
        this.settings = settings;
        retention = new Retention(settings, own, artifacts);
        compression = new Compression(settings.disk(), () -> stopped);
        ofOthers = new Compression(settings.disk(), () -> closing || stopped);
        this.own = own;
    }

    /** A thread that comes when there is work and goes again. */
    @SuppressWarnings("ThreadPriorityCheck") // a wish: nothing relies on it
    static ExecutorService thread() {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, "rlm-journal-housekeeping");
                    thread.setDaemon(true);
                    thread.setPriority(Thread.MIN_PRIORITY);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    // ---- on the writing thread

    /** A segment was closed, and another is begun. */
    void closed(Segment segment) {
        if (settings.compress()) {
            later(() -> compress(segment, compression));
        }
        retention.closedUpTo(segment.number());
        sweep();
    }

    /** The last segment was closed. A small one stays as it is: people look into it. */
    void closedLast(Segment segment, long size) {
        if (settings.compress() && size >= LARGE) {
            later(() -> compress(segment, compression));
        }
    }

    /** Sees to what others have left, once, and to what time makes due: now and then. */
    void sweep() {
        if (!swept && settings.compress()) {
            later(this::compressWhatOthersLeft);
        }
        swept = true;
        if (settings.isRetentionOn()) {
            later(this::delete);
        }
    }

    private void later(Runnable work) {
        if (stopped) {
            return; // there is no thread any more: a sink may be called after its close
        }
        used = true;
        settings.background().execute(() -> {
            if (!stopped) {
                work.run();
            }
        });
    }

    /** Returns the number up to which all of this writer's segments were deleted. */
    int deletedUpTo() {
        return retention.deletedUpTo();
    }

    /** Waits that long for what is to be done, and leaves the rest: plain segments can be read as well. */
    void close(Duration within) {
        closing = true;
        if (used) {
            used = false;
            await(CompletableFuture.runAsync(() -> {}, settings.background()), within);
        }
        stopped = true;
        if (settings.background() instanceof ExecutorService executor) {
            executor.shutdown();
        }
    }

    private static void await(CompletableFuture<Void> done, Duration within) {
        try {
            done.get(Math.max(0, within.toMillis()), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("what is left stays as it is", e);
        }
    }

    // ---- in the background

    private void compress(Segment segment, Compression by) {
        try {
            by.compress(segment);
            compressed.incrementAndGet();
        } catch (NoSuchFileException e) {
            LOG.debug("{} is gone", segment, e);
        } catch (InterruptedIOException e) {
            LOG.debug("{} is left as it is", segment, e);
        } catch (IOException | RuntimeException | LinkageError e) { // a codec may not run everywhere
            problem("cannot compress " + segment + ", which stays as it is: " + e);
        }
    }

    /** Compresses the large segments that writers have left plain at a good end. */
    private void compressWhatOthersLeft() {
        try {
            for (Path folder : JournalFolder.writers(settings.directory())) {
                if (!folder.equals(own.path()) && !WriterLock.exists(folder) && !Files.isSymbolicLink(folder)) {
                    compressLarge(folder);
                }
            }
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("{} cannot be looked through", settings.directory(), e);
        }
    }

    /** Under the folder's lock, so that no writer goes on there meanwhile. */
    private void compressLarge(Path folder) throws IOException {
        InterruptedCompression.tidy(folder, settings.clock().instant().minus(UNFINISHED_FOR));
        for (Segment segment : Segment.of(folder)) {
            if (!closing && segment.plain().toFile().length() >= LARGE) {
                own.whileHeld(folder, () -> {
                    compress(segment, ofOthers);
                    return 0;
                });
            }
        }
    }

    private void delete() {
        try {
            retention.sweep();
        } catch (IOException | RuntimeException e) {
            problem("cannot delete what is too old or too much in " + settings.directory() + ": " + e);
        }
    }

    /** Says the first in the log; all are facts. */
    private void problem(String words) {
        if (problem.isEmpty()) {
            LOG.warn("the journal {}", words);
        }
        problem = words;
    }

    // ---- on any thread

    /** Returns what was done, for people to see. */
    Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        if (compressed.get() > 0) {
            facts.put("segments_compressed", compressed.get());
        }
        facts.putAll(retention.facts());
        if (!problem.isEmpty()) {
            facts.put("housekeeping", problem);
        }
        return facts;
    }
}

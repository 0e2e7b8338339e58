package dev.rlm.runner.job;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import dev.rlm.cli.terminal.Printable;
import dev.rlm.journal.format.segment.PrivateFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Log of a job in its journal: what it said, its progress, each run that failed, and its end; a line each, with its time. It goes on in
 * the same file where the job is resumed, up to 1 MiB. Where it cannot be written the job goes on without it. Safe for use by several threads.
 */
public final class JobLog implements AutoCloseable {
    private static final String ENDING = ".log";
    private static final long MOST_BYTES = 1 << 20;

    private static final int MOST_WAITING = 1_000; // lines, of a disk that hangs
    private static final long CLOSE_SECONDS = 1;

    private final @Nullable FileChannel file;
    private final ThreadPoolExecutor writer = new ThreadPoolExecutor(
            0,
            1,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MOST_WAITING),
            JobLog::thread,
            new ThreadPoolExecutor.DiscardPolicy());

    private JobLog(@Nullable FileChannel file) {
        this.file = file;
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "rlm-job-log");
        thread.setDaemon(true);
        return thread;
    }

    /** Returns that of a job that no journal has: it keeps nothing. */
    static JobLog none() {
        return new JobLog(null);
    }

    /** Opens that of a job; one that keeps nothing where its id is too long for the name of a file. */
    static JobLog open(Path journal, String invocation) throws IOException {
        Optional<Path> place = JobFile.place(journal, invocation, ENDING);
        if (place.isEmpty()) {
            return none();
        }
        PrivateFiles.createFolder(journal.resolve(JobFile.FOLDER));
        return new JobLog(PrivateFiles.open(place.get(), CREATE, APPEND));
    }

    /** Returns the last lines of that of a job; none where there is none that can be read. */
    public static List<String> last(Path journal, String invocation, int lines) {
        try {
            Path place = JobFile.place(journal, invocation, ENDING)
                    .filter(PrivateFiles::isFile)
                    .orElse(null);
            List<String> all = place == null
                    ? List.of()
                    : new String(Files.readAllBytes(place), StandardCharsets.UTF_8)
                            .lines()
                            .toList();
            return all.subList(Math.max(0, all.size() - lines), all.size());
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Adds a line, without its control characters; it is written soon. */
    void line(String text) {
        if (file != null) {
            String line = Instant.now().truncatedTo(ChronoUnit.MILLIS) + " " + Printable.line(text) + "\n";
            writer.execute(() -> write(file, line));
        }
    }

    private void write(FileChannel open, String line) {
        try {
            boolean isFull = open.size() + line.length() > MOST_BYTES;
            ByteBuffer bytes = ByteBuffer.wrap((isFull ? "this log is full\n" : line).getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                open.write(bytes);
            }
            if (isFull) {
                writer.shutdownNow();
            }
        } catch (IOException e) {
            writer.shutdownNow(); // half a log is of no use, and the job needs none
        }
    }

    /** Returns a stream whose lines are those of the log, each written at once. */
    PrintWriter lines() {
        return new PrintWriter(new Writer() {
            @Override
            public void write(char[] text, int from, int length) {
                new String(text, from, length)
                        .lines()
                        .filter(part -> !part.isBlank())
                        .forEach(JobLog.this::line);
            }

            @Override
            public void flush() {
                // nothing waits
            }

            @Override
            public void close() {
                // the log is closed by who opened it
            }
        });
    }

    @Override
    public void close() {
        if (file == null) {
            return;
        }
        writer.shutdown();
        try (file) {
            if (!writer.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                writer.shutdownNow();
            }
        } catch (IOException e) {
            // what is written is written
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.jsonl.segment.LineBuffer;
import dev.rlm.sinks.jsonl.segment.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The journal's sink: appends every event to a file of a folder that it alone writes to, and syncs in groups.
 *
 * <p>An event counts as delivered once it is synced; with {@link Fsync#NEVER}, once it is written. Where writing or
 * syncing fails, all events since the last sync are given up and counted ({@value #IO_ERROR}), and the next ones are
 * tried anew.
 */
public final class JsonlSink implements Sink {
    static final String DIR_VARIABLE = "RLM_JSONL_DIR";
    static final String DEFAULT_DIR = ".rlm";

    /** The reason under which events are counted that could not be written or synced. */
    static final String IO_ERROR = "io_error";

    private static final int WRITE_AT = 1 << 20;

    private final Path directory;
    private final Fsync fsync;
    private final InstantSource clock;
    private final JournalWriter writer;
    private final LineBuffer events = new LineBuffer();
    private final LineBuffer summaries = new LineBuffer();
    private final Map<String, Integer> stepsObserved = new HashMap<>();
    private final Set<String> openRuns = new HashSet<>();
    private long pending; // received, and neither delivered nor dropped
    private long lostAtFlush; // the last one
    private boolean runEnded; // among the pending
    private @Nullable IOException failure; // since the last commit
    private volatile Health health;
    private volatile Acknowledged acknowledged = new Acknowledged(0, Map.of());

    private JsonlSink(Builder builder) {
        directory = builder.directory.toAbsolutePath().normalize();
        String refusal = PrivateFiles.refusal(directory);
        if (!refusal.isEmpty()) {
            throw new SinkConfigException(
                    "the journal folder " + directory + " (" + DIR_VARIABLE + ") cannot be used: " + refusal);
        }
        fsync = builder.fsync;
        clock = builder.clock;
        writer = new JournalWriter(directory.resolve(folderName(clock)));
        health = new Health(true, directory.toString());
    }

    /** Starts the description of a sink. */
    public static Builder builder() {
        return new Builder();
    }

    /** The start, so that folders sort by it, and something random, so that no two writers meet. */
    private static String folderName(InstantSource clock) {
        byte[] random = new byte[4];
        new SecureRandom().nextBytes(random);
        return DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'")
                        .withZone(ZoneOffset.UTC)
                        .format(clock.instant())
                + "-" + HexFormat.of().formatHex(random);
    }

    @Override
    public void onEvent(Event event) {
        JsonLine.append(events, line -> EventWriter.write(event, line));
        pending++;
        if (event instanceof RunStarted start) {
            openRuns.add(start.run().runId());
        } else if (event instanceof StepEnded step) {
            stepsObserved.merge(step.run().runId(), 1, Integer::sum);
        } else if (event instanceof RunEnded end) {
            summarize(end);
        }
        if (events.size() >= WRITE_AT) {
            write();
        }
    }

    private void summarize(RunEnded end) {
        Integer steps = stepsObserved.remove(end.run().runId());
        openRuns.remove(end.run().runId());
        String path = end.runPath() == null ? writer.folder().toString() : end.runPath();
        JsonLine.append(
                summaries, line -> SummaryWriter.write(end, steps == null ? 0 : steps, path, clock.instant(), line));
        runEnded = true;
    }

    @Override
    public void onBatchEnd() {
        commit(fsync == Fsync.BATCH || (fsync == Fsync.RUN && runEnded));
    }

    /** Whether everything that was received since the last flush is synced; with {@link Fsync#NEVER}, written. */
    @Override
    public boolean flush(Duration timeout) {
        long lostBefore = lostAtFlush;
        try {
            commit(fsync != Fsync.NEVER);
            return pending == 0 && lost() == lostBefore;
        } finally {
            lostAtFlush = lost();
        }
    }

    private long lost() {
        return acknowledged.dropped().getOrDefault(IO_ERROR, 0L);
    }

    private void commit(boolean sync) {
        if (pending > 0) {
            write();
        }
        if (pending > 0 && (sync || fsync == Fsync.NEVER)) {
            acknowledge(sync);
        }
        IOException failed = failure;
        failure = null;
        if (failed != null) {
            throw new UncheckedIOException(failed); // for the log; the events have been counted
        }
    }

    private void write() {
        try {
            writer.write(events, summaries);
        } catch (IOException e) {
            giveUp(e);
        }
    }

    private void acknowledge(boolean sync) {
        try {
            if (sync) {
                writer.sync();
            }
            acknowledged = new Acknowledged(acknowledged.delivered() + pending, acknowledged.dropped());
            health = new Health(true, directory.toString());
            pending = 0;
            runEnded = false;
        } catch (IOException e) {
            giveUp(e);
        }
    }

    private void giveUp(IOException e) {
        acknowledged = new Acknowledged(acknowledged.delivered(), Map.of(IO_ERROR, lost() + pending));
        health = new Health(false, "cannot write to " + writer.folder() + ": " + e);
        failure = e;
        pending = 0;
        runEnded = false;
        events.clear();
        summaries.clear();
        writer.abandon();
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    /** The folder that this sink writes to; it is known before it is there. */
    @Override
    public Optional<URI> location(String runId) {
        return Optional.of(writer.folder().toUri());
    }

    @Override
    public Health status() {
        return health;
    }

    @Override
    public Acknowledged acknowledged() {
        return acknowledged;
    }

    @Override
    public void close() {
        try {
            commit(fsync != Fsync.NEVER);
        } finally {
            closeWriter();
        }
    }

    private void closeWriter() {
        try {
            writer.close(openRuns.isEmpty() && acknowledged.dropped().isEmpty());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Collects what a sink is made of. */
    public static final class Builder {
        private Path directory = Path.of(DEFAULT_DIR);
        private Fsync fsync = Fsync.BATCH;
        private InstantSource clock = InstantSource.system();

        private Builder() {}

        /** The journal's folder, in which the sink makes one of its own; {@value #DEFAULT_DIR} unless given. */
        public Builder directory(Path value) {
            directory = value;
            return this;
        }

        /** When to sync; {@link Fsync#BATCH} unless given. */
        public Builder fsync(Fsync value) {
            fsync = value;
            return this;
        }

        Builder clock(InstantSource value) {
            clock = value;
            return this;
        }

        /**
         * Makes the sink. Its folder is made when there is something to write.
         *
         * @throws SinkConfigException if the folder can neither be written to nor made
         */
        public JsonlSink build() {
            return new JsonlSink(this);
        }
    }
}

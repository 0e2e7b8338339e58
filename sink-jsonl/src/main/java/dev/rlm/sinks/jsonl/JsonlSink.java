package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.EventWriter;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.JsonLine;
import dev.rlm.journal.format.SummaryWriter;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The journal's sink: appends every event to a file of a folder that it alone writes to, and syncs in groups.
 *
 * <p>An event counts as delivered once it is synced; with {@link Fsync#NEVER}, once it is written. Where writing or
 * syncing fails, the events since the last sync are written again in another file. Events that cannot be written there
 * either are kept, up to 16 MiB, and tried again; those beyond that, or left at the close, are given up and counted by
 * reason.
 */
public final class JsonlSink implements Sink {
    static final long DEFAULT_ROTATE_SIZE = 64_000_000;
    static final Duration DEFAULT_ROTATE_AGE = Duration.ofDays(1);

    private static final long SWEEP_NANOS = Duration.ofMinutes(10).toNanos();
    private static final Duration COMPRESS_WITHIN = Duration.ofSeconds(2); // when it closes

    private final Fsync fsync;
    private final LongSupplier nanoTime;
    private final JournalWriter writer;
    private final Artifacts artifacts;
    private final Housekeeping housekeeping;
    private final DiskHealth health;
    private final GroupCommit group;
    private final Map<String, Integer> stepsObserved = new HashMap<>();
    private final Set<String> openRuns = new HashSet<>();
    private final WrittenConversations conversations;
    private boolean runEnded; // since the last sync
    private boolean filesKept; // since the last sync
    private long lostAtFlush; // the last one
    private long sweptAt; // nanoTime
    private volatile @Nullable Long closeBy; // nanoTime

    private JsonlSink(JournalSettings settings) {
        String refusal = PrivateFiles.refusal(settings.directory());
        if (!refusal.isEmpty()) {
            throw new SinkConfigException("the journal folder " + settings.directory() + " (" + JournalFolder.VARIABLE
                    + ") cannot be used: " + refusal);
        }
        fsync = settings.fsync();
        nanoTime = settings.nanoTime();
        sweptAt = nanoTime.getAsLong() - SWEEP_NANOS;
        OwnFolder own = OwnFolder.choose(settings);
        artifacts = new Artifacts(settings, own);
        housekeeping = new Housekeeping(settings, own, artifacts);
        writer = new JournalWriter(settings, own, housekeeping);
        health = new DiskHealth(settings);
        group = new GroupCommit(writer, settings, health);
        conversations = new WrittenConversations(writer, group);
    }

    /** Starts the description of a sink. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public void onEvent(Event event) {
        Event recorded = event instanceof ArtifactSaved file ? kept(file) : event;
        if (recorded instanceof ModelCalled call && openRuns.contains(call.run().runId())) {
            conversations.append(call);
        } else {
            JsonLine.append(group.lines(), line -> EventWriter.write(recorded, line));
        }
        if (event instanceof RunStarted start) {
            openRuns.add(start.run().runId());
        } else if (event instanceof StepEnded step) {
            stepsObserved.merge(step.run().runId(), 1, Integer::sum);
        } else if (event instanceof RunEnded end) {
            summarize(end);
        }
        group.added();
    }

    /** The event as its line tells it, once its file is safe. */
    private ArtifactSaved kept(ArtifactSaved file) {
        boolean interrupted = Thread.interrupted(); // would close the file
        health.begin();
        filesKept = true;
        try {
            return artifacts.keep(file, writer::begin);
        } finally {
            health.end();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void summarize(RunEnded end) {
        Integer steps = stepsObserved.remove(end.run().runId());
        openRuns.remove(end.run().runId());
        conversations.forget(end.run().runId());
        String path = end.runPath() == null ? writer.folder().toString() : end.runPath();
        writer.runEnded(line -> SummaryWriter.write(end, steps == null ? 0 : steps, path, writer.time(), line));
        runEnded = true;
    }

    @Override
    public void onBatchEnd() {
        long now = nanoTime.getAsLong();
        if (now - sweptAt >= SWEEP_NANOS) {
            sweptAt = now;
            housekeeping.sweep();
        }
        commit(fsync == Fsync.BATCH || (fsync == Fsync.RUN && runEnded), false);
        unchecked(group::report);
    }

    /**
     * Returns whether everything that was received since the last flush is synced; with {@link Fsync#NEVER}, written. A
     * loss makes one flush false: a program that flushes after each epoch asks about that epoch, and the ledger keeps
     * count of all losses.
     */
    @Override
    public boolean flush(Duration timeout) {
        long lostBefore = lostAtFlush;
        try {
            commit(fsync != Fsync.NEVER, true);
            return group.isEmpty() && group.lost() == lostBefore;
        } finally {
            lostAtFlush = group.lost();
        }
    }

    private void commit(boolean sync, boolean now) {
        unchecked(() -> group.commit(sync, now));
        if (filesKept && group.isEmpty()) {
            artifacts.acknowledged(writer.number());
            filesKept = false;
        }
        runEnded &= !group.isEmpty();
    }

    /** Throws a failure on, unchecked, for the log; the events are kept or counted. */
    private static void unchecked(Writing writing) {
        try {
            writing.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    /** A disk may stand still for minutes and come back; a record that moved on meanwhile would have a gap. */
    @Override
    public Duration patience() {
        return Duration.ofMinutes(10);
    }

    /** The folder that this sink writes to; it is known before it is there. */
    @Override
    public Optional<Path> recordPath() {
        return Optional.of(writer.folder());
    }

    @Override
    public Health status() {
        Map<String, Object> facts = new LinkedHashMap<>();
        if (writer.bytesWritten() > 0) {
            facts.put("folder", writer.folder().toString());
            if (!writer.segment().isEmpty()) {
                facts.put("segment", writer.segment());
            }
            facts.put("bytes_written", writer.bytesWritten());
        }
        facts.putAll(artifacts.facts());
        facts.putAll(housekeeping.facts());
        return health.health(facts);
    }

    @Override
    public Acknowledged acknowledged() {
        return group.acknowledged();
    }

    @Override
    public void beginClose(Duration timeout) {
        closeBy = nanoTime.getAsLong() + timeout.toNanos();
    }

    @Override
    public void close() {
        try {
            commit(fsync != Fsync.NEVER, true);
        } finally {
            group.giveUp(health.fault());
            closeWriter();
        }
    }

    private void closeWriter() {
        try {
            unchecked(() -> writer.close(openRuns.isEmpty() && group.lost() == 0));
        } finally {
            Long by = closeBy;
            Duration left = by == null ? COMPRESS_WITHIN : Duration.ofNanos(by - nanoTime.getAsLong());
            housekeeping.close(left.compareTo(COMPRESS_WITHIN) < 0 ? left : COMPRESS_WITHIN);
        }
    }

    /** Something that the disk may refuse. */
    @FunctionalInterface
    private interface Writing {
        void run() throws IOException;
    }

    /** Collects what a sink is made of. */
    public static final class Builder {
        private Path directory = Path.of(JournalFolder.DEFAULT);
        private Fsync fsync = Fsync.BATCH;
        private long rotateSize = DEFAULT_ROTATE_SIZE;
        private Duration rotateAge = DEFAULT_ROTATE_AGE;
        private boolean compress = true;
        private Duration keepAge = Duration.ZERO;
        private long keepSize;
        private Disk disk = Disk.LOCAL;
        private InstantSource clock = InstantSource.system();
        private LongSupplier nanoTime = System::nanoTime;
        private @Nullable Executor background;

        private Builder() {}

        /** Sets the journal's folder, in which the sink makes one of its own; {@value #JournalFolder.DEFAULT} unless given. */
        public Builder directory(Path value) {
            directory = value;
            return this;
        }

        /** Sets when to sync; {@link Fsync#BATCH} unless given. */
        public Builder fsync(Fsync value) {
            fsync = value;
            return this;
        }

        /**
         * Sets the bytes that a file of events may have before the next is begun; 64 MB unless given, 0 for any number.
         */
        public Builder rotateSize(long bytes) {
            rotateSize = notNegative("rotateSize", bytes);
            return this;
        }

        /**
         * Sets the age that a file of events may have before the next is begun; a day unless given, zero for any age.
         */
        public Builder rotateAge(Duration value) {
            notNegative("rotateAge", value.toMillis());
            rotateAge = value;
            return this;
        }

        /** Sets whether closed files are compressed; true unless given. */
        public Builder compress(boolean value) {
            compress = value;
            return this;
        }

        /** Sets the time for which closed files are kept; zero, the default, is for ever. */
        public Builder keepAge(Duration value) {
            notNegative("keepAge", value.toMillis());
            keepAge = value;
            return this;
        }

        /**
         * Sets the bytes that the journal may take before its oldest closed files are deleted; 0, the default, is no
         * bound.
         */
        public Builder keepSize(long bytes) {
            keepSize = notNegative("keepSize", bytes);
            return this;
        }

        Builder disk(Disk value) {
            disk = value;
            return this;
        }

        Builder clock(InstantSource value) {
            clock = value;
            return this;
        }

        Builder nanoTime(LongSupplier value) {
            nanoTime = value;
            return this;
        }

        Builder background(Executor value) {
            background = value;
            return this;
        }

        private static long notNegative(String name, long value) {
            if (value < 0) {
                throw new IllegalArgumentException(name + " must not be negative: " + value);
            }
            return value;
        }

        /**
         * Makes the sink. Its folder is made when there is something to write.
         *
         * @throws SinkConfigException if the folder can neither be written to nor made
         */
        public JsonlSink build() {
            return new JsonlSink(new JournalSettings(
                    directory.toAbsolutePath().normalize(),
                    fsync,
                    rotateSize,
                    rotateAge,
                    compress,
                    keepAge,
                    keepSize,
                    disk,
                    clock,
                    nanoTime,
                    background == null ? Housekeeping.thread() : background));
        }
    }
}

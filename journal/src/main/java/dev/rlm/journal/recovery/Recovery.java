package dev.rlm.journal.recovery;

import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.ResendTarget;
import dev.rlm.journal.WriterFolders;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings to an end what processes left behind that were killed: their runs are given the end {@code abandoned} in the
 * journal, at the time of the last event that is known of each, and all runs of such a process are sent again to those
 * sinks that do not keep the record themselves, as it died with some of them on their way. Ids stay the same, so that
 * nothing doubles. Each target that was sent to is noted beside the record, and is not sent to again.
 *
 * <p>What a killed writer left behind its last whole line, half a line or worse, is moved out of its files into others
 * that end in {@code .torn}, and a whole line that lacks its line feed is given it. Nothing else is rewritten or cut: of
 * damage between whole lines it is only told how many lines that is. It may be killed anywhere, and the next one does the
 * rest; a second one changes nothing.
 *
 * <p>A writer that lives is left alone, and so is one that has ended well. Several recoveries may be at work at the same
 * time.
 *
 * <pre>{@code
 * SinkConfig config = SinkConfig.system();
 * try (BackgroundRecovery recovery = Recovery.start(config);
 *         Sinks sinks = Sinks.builder().config(config).closeAtShutdown().build()) {
 *     …
 * }
 * }</pre>
 */
public final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final List<Path> writers;
    private final InstantSource clock = InstantSource.system();
    private final Set<Path> died = new HashSet<>();
    private final Set<Path> living = new LinkedHashSet<>();
    private final Set<Path> empty = new HashSet<>();
    private final List<Recovered.SetAside> setAside = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private int abandoned;
    private long damagedLines;

    private Recovery(List<Path> writers) {
        this.writers = writers;
    }

    /**
     * Gives the runs of the journal in a folder their ends; sends nothing.
     *
     * @throws JournalException if there is no journal, or it cannot be read
     */
    public static Recovered recover(Path directory) {
        Recovery recovery = of(directory);
        recovery.writeEnds();
        return recovery.recovered();
    }

    /** A recovery of the journal in a folder, to be carried out step by step. */
    static Recovery of(Path directory) {
        return new Recovery(WriterFolders.existing(directory.toAbsolutePath().normalize()));
    }

    /**
     * Gives the runs of the journal in a folder their ends, and sends what died on its way.
     *
     * @param sinks a hub that was made with {@link Sinks.Builder#recovering}; it is not closed
     * @param sent told how many runs have been sent so far
     * @throws JournalException if there is no journal, or it cannot be read
     */
    public static Sent recover(Path directory, Sinks sinks, IntConsumer sent) {
        Recovery recovery = of(directory);
        recovery.writeEnds();
        Resent resent = recovery.send(sinks, sent);
        return new Sent(recovery.recovered(), resent);
    }

    /**
     * In the background gives the runs of the journal that a configuration names their ends, and sends what died on its
     * way to the sinks that the configuration chooses. For the start of a program: it never throws, holds it up for no
     * longer than a look at each folder, and costs nothing where a back end is dead.
     */
    public static BackgroundRecovery start(SinkConfig config) {
        return start(
                Journal.configured(config),
                () -> Sinks.builder().config(config).recovering().build());
    }

    /**
     * {@link #start(SinkConfig)} for a journal in a folder.
     *
     * @param resending makes a hub with {@link Sinks.Builder#recovering}; asked if there is something to send
     */
    public static BackgroundRecovery start(Path directory, Supplier<Sinks> resending) {
        List<Path> writers = writersIfAny(directory.toAbsolutePath().normalize());
        return new BackgroundRecovery(new Recovery(writers), resending);
    }

    private static List<Path> writersIfAny(Path directory) {
        try {
            return Files.isDirectory(directory) ? JournalFolder.writers(directory) : List.of();
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("the journal at {} cannot be recovered: {}", directory, e.toString());
            return List.of();
        }
    }

    Recovered recovered() {
        return new Recovered(died.size(), abandoned, living.size(), damagedLines, setAside, problems);
    }

    /** Returns whether a writer may have died; those known to live, or to have recorded nothing, do not count. */
    boolean mayHaveDeadWriters() {
        return writers.stream()
                .filter(WriterLock::exists)
                .anyMatch(writer -> !living.contains(writer) && !empty.contains(writer));
    }

    void writeEnds() {
        RunsElsewhere elsewhere = new RunsElsewhere(writers);
        forEachDead(writer -> {
            if (!writer.notes().areEndsWritten()) {
                died.add(writer.folder());
                writer.tidy();
                DeadWriter.Ends ends = writer.writeEnds(elsewhere, clock.instant());
                abandoned += ends.abandoned();
                damagedLines += ends.damagedLines();
            }
        });
    }

    /** Sends the runs of dead writers to those sinks to which they have not been sent yet. */
    Resent send(Sinks sinks, IntConsumer sent) {
        int[] runs = {0};
        try (ResendQueue queue = new ResendQueue(sinks)) {
            forEachDead(writer -> {
                if (isToSend(writer, queue) && !queue.isOver()) {
                    died.add(writer.folder());
                    runs[0] += send(writer, queue, ended -> sent.accept(runs[0] + ended));
                }
            });
            return new Resent(runs[0], queue.published(), 0, queue.isInterrupted(), queue.results());
        }
    }

    private static boolean isToSend(DeadWriter writer, ResendQueue queue) {
        return writer.notes().areEndsWritten()
                && !queue.statuses().stream().map(ResendTarget::of).allMatch(writer.notes()::isSentTo);
    }

    private int send(DeadWriter writer, ResendQueue queue, IntConsumer sent) throws IOException {
        Replay replay = Replay.ofEnded(writer.folder());
        int runs = replay.sendBy(queue, sent);
        boolean all = runs == replay.size();
        for (ResendTarget target : queue.arrived()) {
            if (all && !writer.notes().isSentTo(target)) {
                writer.notes().sentTo(target, clock.instant());
            }
        }
        return runs;
    }

    private void forEachDead(Task task) {
        for (Path folder : writers) {
            if (WriterLock.exists(folder) && !Thread.currentThread().isInterrupted()) {
                try {
                    with(folder, task);
                } catch (ClosedByInterruptException e) {
                    LOG.debug("{} is left to the next recovery", folder, e);
                } catch (IOException | RuntimeException e) {
                    problems.add(folder + ": " + e);
                    LOG.debug("{} cannot be recovered", folder, e);
                }
            }
        }
    }

    private void with(Path folder, Task task) throws IOException {
        Optional<DeadWriter> taken = DeadWriter.take(folder);
        if (taken.isEmpty()) {
            if (WriterLock.exists(folder)) { // else it has ended well in the meantime
                living.add(folder);
            }
            return;
        }
        try (DeadWriter writer = taken.get()) {
            if (writer.hasRecordedNothing()) {
                empty.add(folder);
            } else {
                with(writer, task);
            }
        }
    }

    private void with(DeadWriter writer, Task task) throws IOException {
        try {
            task.accept(writer);
        } finally {
            setAside.addAll(writer.takeSetAside());
        }
    }

    /**
     * Result of a recovery with sinks.
     *
     * @param journal result in the journal
     * @param sent result of the sending
     */
    public record Sent(Recovered journal, Resent sent) {}

    /** A step of the recovery of one writer that died. */
    @FunctionalInterface
    private interface Task {
        void accept(DeadWriter writer) throws IOException;
    }
}

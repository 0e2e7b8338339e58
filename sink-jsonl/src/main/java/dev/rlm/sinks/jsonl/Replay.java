package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.segment.WriterLock;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a journal, or some of them, to be sent through sinks again: with their own times, ids and numbers, in the
 * order in which they were recorded. Of the events it keeps none: it takes a few hundred bytes a run, and more only of
 * those that are open at the same time.
 *
 * <p>Runs that go on are left out. A run that has no end because its process died is sent with the one that
 * {@link Recovery} would write. The journal is only read.
 */
public final class Replay {
    private final Path directory;
    private final List<Path> writers;
    private final JournalIndex index;
    private final KeptText kept; // by the making of the index
    private final Predicate<JournalIndex.Entry> chosen;
    private final @Nullable Instant metricsSince; // null for none

    private Replay(
            Path directory,
            List<Path> writers,
            JournalIndex index,
            KeptText kept,
            Predicate<JournalIndex.Entry> chosen,
            @Nullable Instant metricsSince) {
        this.directory = directory;
        this.writers = writers;
        this.index = index;
        this.kept = kept;
        this.chosen = chosen;
        this.metricsSince = metricsSince;
    }

    /**
     * All runs of the journal in a folder, or of what one of its writers has recorded, and the numbers of no run.
     *
     * @throws JournalException if there is none, or it cannot be read
     */
    public static Replay of(Path directory) {
        Path folder = directory.toAbsolutePath().normalize();
        List<Path> writers = JournalFolder.existing(folder);
        try {
            KeptText kept = new KeptText();
            return new Replay(folder, writers, JournalIndex.of(writers, kept), kept, run -> true, Instant.MIN);
        } catch (IOException e) {
            throw JournalFolder.unreadable(folder, e);
        }
    }

    /** The runs that have an end in the folder of one writer, and nothing else. */
    static Replay ofEnded(Path writer) throws IOException {
        List<Path> writers = List.of(writer);
        KeptText kept = new KeptText();
        return new Replay(writer, writers, JournalIndex.of(writers, kept), kept, JournalIndex.Entry::hasEnded, null);
    }

    /**
     * Of these runs those alone that have one of the ids, or the only one that begins like it.
     *
     * @throws JournalException if there is none, or more than one; the message names candidates
     */
    public Replay runs(Collection<String> idsOrPrefixes) {
        Set<String> ids = new HashSet<>();
        idsOrPrefixes.forEach(id -> ids.add(index.resolve(id, directory)));
        return new Replay(directory, writers, index, kept, chosen.and(run -> ids.contains(run.runId())), null);
    }

    /** Of these runs those alone that have one of exactly these ids. */
    public Replay only(Set<String> ids) {
        Set<String> wanted = Set.copyOf(ids);
        return new Replay(directory, writers, index, kept, chosen.and(run -> wanted.contains(run.runId())), null);
    }

    /** Of these runs, and of the numbers of no run, those alone that started then or later. */
    public Replay since(Instant time) {
        return new Replay(
                directory,
                writers,
                index,
                kept,
                chosen.and(run -> !run.startedAt().isBefore(time)),
                metricsSince == null ? null : time);
    }

    /** How many runs there are to send. */
    public int size() {
        return (int) index.runs().stream()
                .filter(chosen)
                .filter(run -> !run.isLive())
                .count();
    }

    /** How many runs are left out because they go on. */
    public int liveRuns() {
        return (int) index.runs().stream()
                .filter(chosen)
                .filter(JournalIndex.Entry::isLive)
                .count();
    }

    /**
     * Sends them, and waits until they have arrived or cannot. Interrupted, it stops.
     *
     * @param sinks a hub that was made with {@link Sinks.Builder#resending}; it is not closed
     * @param ended told how many runs have been sent so far
     * @throws JournalException if the journal cannot be read
     */
    public Resent sendTo(Sinks sinks, IntConsumer ended) {
        try (Delivery delivery = new Delivery(sinks)) {
            ReplayPass pass = new ReplayPass(this::isChosen, metricsSince, delivery, ended);
            long damaged = send(pass);
            delivery.arrived();
            boolean interrupted = delivery.isInterrupted();
            return new Resent(pass.runsSent(), delivery.published(), damaged, interrupted, delivery.results());
        }
    }

    /** Sends them without waiting for what comes of it; how many runs. */
    int sendBy(Delivery delivery, IntConsumer ended) {
        ReplayPass pass = new ReplayPass(this::isChosen, metricsSince, delivery, ended);
        send(pass);
        return pass.runsSent();
    }

    private boolean isChosen(String runId) {
        return index.find(runId).filter(chosen).filter(run -> !run.isLive()).isPresent();
    }

    /** How many damaged lines were passed over. */
    private long send(ReplayPass pass) {
        WriterLines lines = new WriterLines(pass::line, kept::take);
        try {
            for (Path writer : writers) {
                pass.of(writer);
                lines.read(writer, WriterLock.isHeld(writer));
            }
            pass.endTheRest();
        } catch (ReplayStoppedException | ClosedByInterruptException e) {
            // there is no sense in going on
        } catch (IOException e) {
            throw JournalFolder.unreadable(directory, e);
        }
        return lines.damaged();
    }
}

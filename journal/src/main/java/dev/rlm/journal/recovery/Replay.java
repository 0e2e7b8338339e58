package dev.rlm.journal.recovery;

import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.ReplayStoppedException;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
    private final Journal journal;
    private final List<RunSummary> runs; // live ones among them
    private final List<RunSummary> ended;
    private final @Nullable Predicate<Instant>
            apart; // which numbers and spans of no run, by their times; null for none

    private Replay(Journal journal, Stream<RunSummary> chosen, @Nullable Predicate<Instant> apart) {
        this.journal = journal;
        this.runs = chosen.toList();
        this.ended = runs.stream().filter(run -> !isLive(run)).toList();
        this.apart = apart;
    }

    private static boolean isLive(RunSummary run) {
        return run.isWriterAlive() && run.state() == RunState.RUNNING; // most writers are dead, and a row takes time
    }

    /**
     * All runs of the journal in a folder, or of what one of its writers has recorded, and the numbers and spans of no run.
     *
     * @throws JournalException if there is none, or it cannot be read
     */
    public static Replay of(Path directory) {
        return of(Journal.openToRead(directory.toAbsolutePath().normalize(), IndexCache.NONE));
    }

    /** All runs of a journal, and the numbers and spans of no run. */
    public static Replay of(Journal journal) {
        return new Replay(journal, journal.withParts(journal.runs()).stream(), time -> true);
    }

    /** The runs that have an end in a folder and were recorded by the holder of its lock, and nothing else. */
    static Replay ofEnded(Path folder) {
        Journal journal = Journal.openToRead(folder, IndexCache.NONE);
        String holder = WriterLock.holder(folder);
        Path writer = holder.isEmpty() ? folder : folder.resolveSibling(holder);
        return new Replay(
                journal,
                journal.runs().stream()
                        .filter(run -> run.row().end() != null && run.writers().contains(writer)),
                null);
    }

    /**
     * Of these runs those alone that have one of the ids, or the only one that begins like it.
     *
     * @throws JournalException if there is none, or more than one; the message names candidates
     */
    public Replay runs(Collection<String> idsOrPrefixes) {
        List<RunSummary> named = idsOrPrefixes.stream().map(journal::run).toList();
        return only(journal.withParts(named).stream().map(RunSummary::runId).collect(Collectors.toSet()));
    }

    /** Of these runs those alone that have one of exactly these ids. */
    public Replay only(Set<String> ids) {
        return new Replay(journal, runs.stream().filter(run -> ids.contains(run.runId())), null);
    }

    /** Of these runs those alone that started at such a time, and of the numbers and spans of no run those of such a time. */
    public Replay at(Predicate<? super Instant> times) {
        return new Replay(
                journal, runs.stream().filter(run -> times.test(run.startedAt())), apart == null ? null : times::test);
    }

    /** Returns the number of runs to send. */
    public int size() {
        return ended.size();
    }

    /** Returns the number of runs that are left out because they go on. */
    public int liveRuns() {
        return runs.size() - ended.size();
    }

    /**
     * Sends them, and waits until they have arrived or cannot. Interrupted, it stops.
     *
     * @param sinks a hub that was made with {@link Sinks.Builder#resending}; it is not closed
     * @param sent told how many runs have been sent so far
     * @throws JournalException if the journal cannot be read
     */
    public Resent sendTo(Sinks sinks, IntConsumer sent) {
        try (ResendQueue queue = new ResendQueue(sinks)) {
            ReplayPass pass = pass(queue, sent);
            long damaged = send(pass);
            queue.arrived();
            boolean interrupted = queue.isInterrupted();
            return new Resent(pass.runsSent(), queue.published(), damaged, interrupted, queue.results());
        }
    }

    /** Sends them without waiting for their arrival, and returns the number of runs sent. */
    int sendBy(ResendQueue queue, IntConsumer sent) {
        ReplayPass pass = pass(queue, sent);
        send(pass);
        return pass.runsSent();
    }

    private ReplayPass pass(ResendQueue queue, IntConsumer sent) {
        Set<String> ids = ended.stream().map(RunSummary::runId).collect(Collectors.toSet());
        return new ReplayPass(ids::contains, apart, queue, sent);
    }

    /** Sends them, and returns the number of damaged lines that were passed over. */
    private long send(ReplayPass pass) {
        long damaged = journal.damagedLines();
        try {
            damaged = readsPlaces() ? journal.readLinesOf(ended, pass) : journal.readAll(pass);
            pass.endTheRest();
        } catch (ReplayStoppedException | ClosedByInterruptException e) {
            // there is no sense in going on
        } catch (IOException e) {
            throw JournalException.unreadable(journal.directory(), e);
        }
        return damaged;
    }

    /**
     * Returns whether reading the lines of the chosen runs is enough. It is not where an end is made up: it is numbered
     * behind all lines of its run.
     */
    private boolean readsPlaces() {
        return apart == null
                && journal.areFew(ended)
                && ended.stream().allMatch(run -> run.row().end() != null);
    }
}

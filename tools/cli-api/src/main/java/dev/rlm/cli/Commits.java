package dev.rlm.cli;

import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Waits for the durable sinks, once for all groups that wait at the same time. Safe for use by several threads.
 *
 * <p>A flush tells of what was lost since the flush before it, and that one may have been another group's. So a group is
 * known to be safe only where these sinks have lost nothing since before its first event was published.
 */
public final class Commits {
    private final Sinks sinks;
    private final Duration patience;
    private final Set<String> durable;
    private final AtomicLong asked = new AtomicLong(); // how many groups have asked so far
    private long covered; // how many of them had asked before the last flush; guarded by this, like what follows
    private boolean flushed;
    private long lossesAfter;

    /** Waits for the durable sinks that there are now, that long at the most. */
    public Commits(Sinks sinks, Duration patience) {
        this.sinks = sinks;
        this.patience = patience;
        this.durable = sinks.flushDurable(patience).sinks().keySet();
    }

    /** Returns whether a sink keeps a durable record. */
    public boolean areDurable() {
        return !durable.isEmpty();
    }

    /** Returns how many events the durable sinks have lost so far: to be asked before a group's first event. */
    public long losses() {
        return durableSinks().stream()
                .mapToLong(status -> status.ledger().lost())
                .sum();
    }

    private List<SinkStatus> durableSinks() {
        return !areDurable()
                ? List.of()
                : sinks.statuses().stream()
                        .filter(status -> durable.contains(status.name()))
                        .toList();
    }

    /** Waits until the durable sinks have synced what was published so far; why they are not known to have, if so. */
    public Optional<String> await(long lossesBefore) {
        long number = asked.incrementAndGet();
        try {
            return !areDurable() || isSafe(number, lossesBefore) ? Optional.empty() : Optional.of(problem());
        } catch (RuntimeException | Error e) { // whatever happens, the client must hear of it
            return Optional.of("not known to be synced: " + e);
        }
    }

    private synchronized boolean isSafe(long number, long lossesBefore) {
        if (number > covered) {
            covered = asked.get();
            flushed = false;
            flushed = sinks.flushDurable(patience).isComplete();
            lossesAfter = losses();
        }
        return flushed && lossesAfter == lossesBefore;
    }

    private String problem() {
        return durableSinks().stream()
                .filter(status -> !status.available())
                .findFirst()
                .map(status -> "not known to be synced: sink '" + status.name() + "': " + status.detail())
                .orElse("not known to be synced: events were lost, or the disk did not answer in "
                        + Durations.text(patience));
    }
}

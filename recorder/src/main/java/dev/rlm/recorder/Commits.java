package dev.rlm.recorder;

import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Waits for the durable sinks, once for all groups that wait at the same time.
 *
 * <p>A flush tells of what was lost since the flush before it, and that one may have been another group's. So a group is
 * known to be safe only where these sinks have lost nothing since before its first event was published.
 */
final class Commits implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Sinks sinks;
    private final Set<String> durable;
    private final LinkedBlockingQueue<Group> waiting = new LinkedBlockingQueue<>();
    private final Thread thread = RecorderThreads.daemon(this::work, "rlm-record-commit");

    Commits(Sinks sinks) {
        this.sinks = sinks;
        this.durable = sinks.flushDurable(PATIENCE).sinks().keySet();
        thread.start();
    }

    /** Whether a sink keeps a durable record. */
    boolean areDurable() {
        return !durable.isEmpty();
    }

    /** How many events the durable sinks have lost so far: to be asked before a group's first event. */
    long losses() {
        return areDurable()
                ? durableSinks().stream()
                        .mapToLong(status -> status.ledger().lost())
                        .sum()
                : 0;
    }

    private List<SinkStatus> durableSinks() {
        return sinks.statuses().stream()
                .filter(status -> durable.contains(status.name()))
                .toList();
    }

    /** Waits until what was published so far is synced. */
    Commit await(long lossesBefore) {
        if (!areDurable()) {
            return Commit.NOT_DURABLE;
        }
        Group group = new Group(lossesBefore, new CompletableFuture<>());
        waiting.add(group);
        return group.answer().join();
    }

    private void work() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                List<Group> groups = new ArrayList<>(List.of(waiting.take()));
                waiting.drainTo(groups);
                try {
                    commit(groups);
                } catch (RuntimeException | Error e) {
                    giveUp(groups, e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void commit(List<Group> groups) {
        boolean flushed = sinks.flushDurable(PATIENCE).isComplete();
        long losses = losses();
        for (Group group : groups) {
            boolean safe = flushed && losses == group.lossesBefore();
            group.answer().complete(safe ? Commit.SYNCED : new Commit(false, problem()));
        }
    }

    /** Whatever happens, who waits must hear of it. */
    private static void giveUp(List<Group> groups, Throwable cause) {
        groups.forEach(group -> group.answer().complete(new Commit(false, "not known to be synced: " + cause)));
    }

    private String problem() {
        return durableSinks().stream()
                .filter(status -> !status.available())
                .findFirst()
                .map(status -> "not known to be synced: sink '" + status.name() + "': " + status.detail())
                .orElse("not known to be synced: events were lost, or the disk did not answer in "
                        + PATIENCE.toSeconds() + " s");
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    /** Lines that wait together. */
    private record Group(long lossesBefore, CompletableFuture<Commit> answer) {}
}

package dev.rlm.recorder;

import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    Optional<String> await(long lossesBefore) {
        if (!areDurable()) {
            return Optional.empty();
        }
        Group group = new Group(lossesBefore, new CompletableFuture<>());
        waiting.add(group);
        return group.problem().join();
    }

    private void work() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                List<Group> groups = new ArrayList<>(List.of(waiting.take()));
                waiting.drainTo(groups);
                try {
                    commit(groups);
                } catch (RuntimeException | Error e) { // whatever happens, who waits must hear of it
                    groups.forEach(group -> group.problem().complete(Optional.of("not known to be synced: " + e)));
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
            group.problem().complete(safe ? Optional.empty() : Optional.of(problem()));
        }
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
    private record Group(long lossesBefore, CompletableFuture<Optional<String>> problem) {}
}

package dev.rlm.journal.recovery;

import dev.rlm.journal.ResendTarget;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Events on their way through a hub that waits for its sinks. A timer watches the sinks meanwhile: one that loses
 * events while nothing arrives, or at which nothing happens for 60 s, is given up, so that it does not hold up the
 * others: each request to a dead back end takes its time-out, and everything can be sent again later. For one thread.
 */
public final class ResendQueue implements AutoCloseable {
    private static final long WATCH_MILLIS = 200;
    private static final int WATCH_EVENTS = 1 << 12; // a sink that fails at once drops many in that time
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration FLUSH_SLICE = Duration.ofSeconds(2);

    private final Sinks sinks;
    private final ScheduledExecutorService timer;
    private final Map<String, WatchedSink> watched = new ConcurrentHashMap<>();
    private final Map<String, GivenUp> givenUp = new ConcurrentHashMap<>();
    private final Map<String, Long> lostBefore = new HashMap<>();
    private final Set<String> incomplete = ConcurrentHashMap.newKeySet();
    private final int made;
    private long published;

    /** Sends through a hub made with {@link Sinks.Builder#resending} or one of its variants; the hub is not closed. */
    public ResendQueue(Sinks sinks) {
        this.sinks = sinks;
        this.made = statuses().size();
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "rlm-resend-watch");
            thread.setDaemon(true);
            return thread;
        });
        var unused = timer.scheduleWithFixedDelay(this::watch, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Sends an event, and returns whether sending more makes sense. */
    public boolean publish(Event event) {
        sinks.publish(event);
        if (++published % WATCH_EVENTS == 0) {
            watch();
        }
        return !isOver();
    }

    /** Returns the number of events sent. */
    public long published() {
        return published;
    }

    /** Returns whether all sinks have been given up, or the thread was interrupted. */
    public boolean isOver() {
        return isInterrupted() || givenUp.size() >= made;
    }

    boolean isInterrupted() {
        return Thread.currentThread().isInterrupted();
    }

    /** Returns the status of each sink that was made and has not been given up. */
    List<SinkStatus> statuses() {
        return sinks.statuses().stream()
                .filter(status -> sinks.get(status.name()).isPresent())
                .filter(status -> !givenUp.containsKey(status.name()))
                .toList();
    }

    private synchronized void watch() {
        for (SinkStatus status : statuses()) {
            WatchedSink sink = watched.computeIfAbsent(status.name(), name -> new WatchedSink());
            String failure = sink.failure(status, System.nanoTime());
            if (!failure.isEmpty()) {
                givenUp.put(status.name(), new GivenUp(status, failure));
                sinks.remove(status.name());
            }
        }
    }

    /**
     * Waits until all that was sent has arrived or been lost; returns the sinks at which all has arrived since the last
     * call.
     */
    Set<ResendTarget> arrived() {
        Map<String, Boolean> flushed = Map.of();
        boolean settled = false;
        while (!settled && !isOver()) {
            flushed = sinks.flush(FLUSH_SLICE).sinks();
            settled = !flushed.containsValue(false)
                    || statuses().stream().allMatch(status -> status.ledger().queued() == 0);
        }
        Map<String, Boolean> answers = flushed;
        return statuses().stream()
                .filter(status -> hasArrived(status, answers.getOrDefault(status.name(), false)))
                .map(ResendTarget::of)
                .collect(Collectors.toSet());
    }

    /** Waits until all that was sent has arrived or been lost. */
    public void awaitArrival() {
        var unused = arrived();
    }

    private boolean hasArrived(SinkStatus status, boolean flushed) {
        Ledger ledger = status.ledger();
        long lost = ledger.lost();
        Long before = lostBefore.put(status.name(), lost);
        boolean arrived = flushed && ledger.queued() == 0 && lost == (before == null ? 0 : before);
        if (!arrived) {
            incomplete.add(status.name());
        }
        return arrived;
    }

    /** Returns the result at each sink that was chosen; to be called after {@link #awaitArrival}. */
    public List<Resent.ToSink> results() {
        Map<String, SinkStatus> all = new LinkedHashMap<>();
        sinks.statuses().stream().filter(SinkStatus::enabled).forEach(status -> all.put(status.name(), status));
        givenUp.forEach((name, sink) -> all.put(name, sink.status()));
        return all.values().stream().map(this::result).toList();
    }

    private Resent.ToSink result(SinkStatus status) {
        return new Resent.ToSink(status.name(), ResendTarget.of(status).place(), status.ledger(), problem(status));
    }

    private String problem(SinkStatus status) {
        GivenUp failed = givenUp.get(status.name());
        String why = failed != null ? failed.reason() : status.available() ? "" : status.detail();
        return Stream.of(why, missing(status)).filter(text -> !text.isEmpty()).collect(Collectors.joining("; "));
    }

    private String missing(SinkStatus status) {
        Ledger ledger = status.ledger();
        if (ledger.lost() > 0) {
            return ledger.lost() + " of " + ledger.offered() + " events were lost: " + ledger.losses();
        } else if (ledger.queued() > 0 || incomplete.contains(status.name())) {
            return ledger.queued() + " of " + ledger.offered() + " events are not known to have arrived";
        }
        return "";
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    /** A sink that was given up, with its status at that time. */
    private record GivenUp(SinkStatus status, String reason) {}

    /** Progress of a sink as of the last look. */
    private static final class WatchedSink {
        private long lost;
        private long deliveredAtLoss;
        private long settled;
        private long settledAt = System.nanoTime();

        /**
         * Returns why to give the sink up: it loses events while nothing arrives, or nothing has happened for 60 s.
         * Else empty.
         */
        String failure(SinkStatus status, long now) {
            Ledger ledger = status.ledger();
            if (ledger.lost() > lost) {
                lost = ledger.lost();
                deliveredAtLoss = ledger.delivered();
            }
            long nowSettled = ledger.delivered() + ledger.droppedTotal();
            if (nowSettled > settled || ledger.queued() == 0) {
                settled = nowSettled;
                settledAt = now;
            }
            if (lost > 0 && !status.available() && ledger.delivered() == deliveredAtLoss) {
                return status.detail();
            }
            return now - settledAt > PATIENCE.toNanos()
                    ? "nothing has arrived for " + PATIENCE.toSeconds() + " s: " + status.detail()
                    : "";
        }
    }
}

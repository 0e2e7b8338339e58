package dev.rlm.cli;

import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The wait, at the end of a job or a command, for what is on its way to the sinks: a back end may take longer for a job than the job took. It
 * ends when all has arrived, when nothing has for a while, when its time is over, or by an interrupt. Tells how far it is.
 *
 * <p>Where nothing has ever arrived it waits a little less, so that with a dead back end the process ends within five seconds.
 */
public final class DrainWait implements Supplier<String> {
    private static final Duration FIRST_STANDSTILL = Duration.ofMillis(3250);
    private static final Duration STANDSTILL = Duration.ofSeconds(5);
    private static final Duration CLOSE_TIME = Duration.ofMillis(4500);
    private static final Duration LEAST_CLOSE_TIME = Duration.ofMillis(1250);
    private static final long POLL_MILLIS = 50;

    private final Sinks sinks;
    private final long start = System.nanoTime();
    private final Map<String, Latest> latest = new HashMap<>(); // by sink
    private boolean living = true; // nothing is awaited from a sink at which nothing arrives

    /** Begins now. */
    public DrainWait(Sinks sinks) {
        this.sinks = sinks;
        sinks.statuses().forEach(this::note);
    }

    /** Waits for so long at the most. */
    public void await(Duration most) {
        if (awaited().isEmpty()) {
            return;
        }
        Thread flushing = new Thread(() -> sinks.flush(most), "rlm-arrival");
        flushing.setDaemon(true);
        flushing.start();
        try {
            while (flushing.isAlive() && elapsed(start).compareTo(most) < 0 && living) {
                flushing.join(POLL_MILLIS);
                living = !flushing.isAlive() || isSomethingArriving();
            }
            flushing.interrupt(); // so that it ends before the sinks are closed
            flushing.join(LEAST_CLOSE_TIME.toMillis());
        } catch (InterruptedException e) {
            flushing.interrupt();
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether anything still arrives. Measurements, which no ledger counts, may follow the last event. */
    private boolean isSomethingArriving() {
        List<SinkStatus> all = sinks.statuses();
        all.forEach(this::note);
        boolean allCounted = all.stream().noneMatch(DrainWait::isAwaited);
        return all.stream().filter(status -> allCounted || isAwaited(status)).anyMatch(status -> {
            Latest drain = latest.getOrDefault(status.name(), new Latest(0, start));
            boolean first = allCounted || drain.delivered() == 0;
            return elapsed(drain.at()).compareTo(first ? FIRST_STANDSTILL : STANDSTILL) < 0;
        });
    }

    private void note(SinkStatus status) {
        long delivered = status.ledger().delivered();
        Latest before = latest.get(status.name());
        if (before == null || delivered > before.delivered()) {
            latest.put(status.name(), new Latest(delivered, before == null ? start : System.nanoTime()));
        }
    }

    private static Duration elapsed(long since) {
        return Duration.ofNanos(System.nanoTime() - since);
    }

    /** Returns how long the sinks may take to close: where nothing arrives any more, the rest of five seconds. */
    public Duration closeTime() {
        Duration left = CLOSE_TIME.minus(elapsed(start));
        return living ? CLOSE_TIME : left.compareTo(LEAST_CLOSE_TIME) > 0 ? left : LEAST_CLOSE_TIME;
    }

    /** The sinks that have something on its way. */
    private List<SinkStatus> awaited() {
        return sinks.statuses().stream().filter(DrainWait::isAwaited).toList();
    }

    private static boolean isAwaited(SinkStatus status) {
        return status.ledger().queued() > 0;
    }

    @Override
    public String get() {
        String each = awaited().stream()
                .map(status -> status.ledger().queued() + " to " + status.name())
                .collect(Collectors.joining(", "));
        return each.isEmpty() ? "" : "events on their way: " + each;
    }

    /**
     * Last arrival at a sink.
     *
     * @param at its time, in terms of {@link System#nanoTime}; the job's end if nothing has arrived since
     */
    private record Latest(long delivered, long at) {}
}

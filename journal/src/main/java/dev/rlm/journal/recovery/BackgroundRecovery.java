package dev.rlm.journal.recovery;

import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A {@link Recovery} that goes on while the program does its own work. A later recovery does what it leaves. */
public final class BackgroundRecovery implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundRecovery.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final long POLL_MILLIS = 20;

    private final Recovery recovery;
    private final Supplier<Sinks> resending;
    private final Thread thread = new Thread(this::work, "rlm-recovery");
    private volatile Recovered recovered;
    private volatile @Nullable Sinks sinks;
    private volatile @Nullable Resent resent;
    private volatile boolean finished;

    BackgroundRecovery(Recovery recovery, Supplier<Sinks> resending) {
        this.recovery = recovery;
        this.recovered = recovery.recovered();
        this.resending = resending;
        thread.setDaemon(true);
        if (recovery.mayHaveDeadWriters()) {
            thread.start();
        } else {
            finished = true;
        }
    }

    /** Returns what has been done in the journal so far, up to the last step that is over. */
    public Recovered recovered() {
        return recovered;
    }

    /** Returns what was sent again; empty until the sending is over, and if no writer can have died. */
    public Optional<Resent> resent() {
        return Optional.ofNullable(resent);
    }

    @SuppressWarnings("CatchThrowable") // whatever happens here is not to harm the program
    private void work() {
        try {
            recovery.writeEnds();
            recovered = recovery.recovered();
            boolean stopped = Thread.currentThread().isInterrupted();
            if (recovery.mayHaveDeadWriters() && !stopped) {
                send();
            }
            recovered.problems().forEach(problem -> LOG.warn("left to the next start: {}", problem));
            finished = !stopped;
        } catch (SinkConfigException e) {
            LOG.debug("nothing is sent again", e); // the program's own hub says it
        } catch (Throwable e) {
            LOG.warn("the recovery of the journal is left to the next start: {}", e.toString());
        }
    }

    private void send() {
        try (Sinks hub = resending.get()) {
            sinks = hub;
            resent = recovery.send(hub, runs -> {});
            recovered = recovery.recovered();
        }
    }

    /** Returns whether it has not come to its end, or something that was sent is not known to have arrived. */
    public boolean isUnfinished() {
        Resent sent = resent;
        return sent == null ? !finished : !sent.isComplete();
    }

    /** {@link #close(Duration)} within two seconds. */
    @Override
    public void close() {
        close(CLOSE_TIMEOUT);
    }

    /** Gives it some more time, unless what it sends to does not work, and stops it. */
    public void close(Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        try {
            while (thread.isAlive() && by - System.nanoTime() > 0 && isWorking()) {
                TimeUnit.MILLISECONDS.timedJoin(thread, POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.interrupt();
    }

    private boolean isWorking() {
        Sinks hub = sinks;
        return hub == null
                || hub.statuses().stream()
                        .anyMatch(status ->
                                status.available() && hub.get(status.name()).isPresent());
    }
}

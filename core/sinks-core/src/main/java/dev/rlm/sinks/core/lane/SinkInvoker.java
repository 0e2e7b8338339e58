package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.event.Event;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Calls a lane's sink on the lane's thread: hands it events and ends batches, in {@linkplain CallMark marked} calls, counts
 * what came of it, and keeps events from a sink that fails again and again. After a call that was given up it throws, and is
 * of no more use.
 *
 * <p>An error after which a thread is better replaced is counted and thrown on.
 */
final class SinkInvoker {
    private final LaneParts parts;
    private final LaneQueue queue;
    private final EventQueue events;
    private final SinkCounts counts;
    private final CallMark mark;
    private final Sink sink;
    private final AtomicInteger asking;
    private final CircuitBreaker breaker;
    private boolean failing; // or has failed lately: the breaker is to hear of what is taken, too

    SinkInvoker(LaneParts parts, SinkCounts counts, CallMark mark) {
        this.parts = parts;
        this.queue = parts.queue();
        this.events = parts.events();
        this.counts = counts;
        this.mark = mark;
        this.sink = counts.sink().unguarded();
        this.asking = counts.sink().asking();
        this.breaker = parts.breaker();
        this.failing = breaker.isCounting();
    }

    /** Hands over all that is queued by now, and ends the batch; returns how many events there were. */
    long drain() throws GivenUpException {
        long end = queue.accepted();
        long begin = queue.polled();
        boolean handed = false;
        while (queue.polled() < end) {
            Event event = events.take();
            if (event == null) {
                break;
            }
            handed |= handle(event);
        }
        if (handed) {
            endBatch();
        }
        return queue.polled() - begin;
    }

    /** Returns whether the event became part of the batch. */
    private boolean handle(Event event) throws GivenUpException {
        if (!failing || !breaker.isOn()) {
            deliver(event);
            return true;
        } else if (breaker.isProbeDue()) {
            probe(event);
        } else {
            parts.counts().drop(Reasons.QUARANTINED);
        }
        return false;
    }

    private void probe(Event event) throws GivenUpException {
        if (deliver(event) && endBatch()) {
            breaker.end();
            failing = false;
            parts.lossLog().sayRecovered(parts.counts().ledger(), "works again after its quarantine");
        }
    }

    private boolean deliver(Event event) throws GivenUpException {
        counts.handed();
        Throwable thrown = call("onEvent", Duration.ZERO, () -> sink.onEvent(event));
        if (thrown == null) {
            if (failing) {
                breaker.eventTaken();
            }
            return true;
        }
        counts.failed();
        failed("onEvent", thrown, breaker::eventFailed);
        return false;
    }

    private boolean endBatch() throws GivenUpException {
        Throwable thrown = call("onBatchEnd", Duration.ZERO, sink::onBatchEnd);
        askAcknowledged();
        if (thrown == null) {
            counts.batchTaken();
            if (failing) {
                breaker.batchTaken();
                failing = breaker.isCounting();
            }
            return true;
        }
        counts.batchFailed();
        failed("onBatchEnd", thrown, breaker::batchFailed);
        return false;
    }

    private void failed(String method, Throwable thrown, CircuitBreaker.Count count) {
        failing = true;
        boolean probed = breaker.isOn();
        boolean begins = count.failed(method + " failed: " + Throwables.describe(thrown));
        if (Throwables.endsThread(thrown)) {
            throw (Error) thrown;
        } else if (begins) {
            parts.log()
                    .say("is in quarantine after " + breaker.reason()
                            + "; one event a minute tries it, the others are dropped");
        } else if (!probed) {
            warn(method, thrown);
        }
    }

    /** Learns what came of events that were handed over earlier, if it is not known yet. */
    void askWhatIsOwed() throws GivenUpException {
        if (counts.isOwing()) {
            askAcknowledged();
        }
    }

    private void askAcknowledged() throws GivenUpException {
        Throwable thrown = call("acknowledged", Duration.ZERO, () -> counts.learn(sink.acknowledged()));
        if (thrown != null) {
            counts.unanswered();
            warn("acknowledged", thrown);
        }
        if (counts.hasNewLosses()) {
            parts.look();
        }
    }

    /** Returns whether the sink says that all has arrived; one in quarantine has not been given all. */
    boolean flush(Duration timeout) throws GivenUpException {
        AtomicBoolean arrived = new AtomicBoolean();
        Throwable thrown = call("flush", timeout, () -> arrived.set(sink.flush(timeout)));
        if (thrown != null) {
            warn("flush", thrown);
            if (Throwables.endsThread(thrown)) {
                throw (Error) thrown;
            }
        }
        askWhatIsOwed();
        return arrived.get() && !breaker.isOn();
    }

    /** Flushes and closes the sink. Whatever it throws is for the log alone: nothing comes after it. */
    void close(Duration timeout) throws GivenUpException {
        Throwable flushing = call("flush", timeout, () -> sink.flush(timeout));
        if (flushing != null) {
            warn("flush", flushing);
        }
        Throwable closing = call("close", timeout, sink::close);
        if (closing != null) {
            warn("close", closing);
        }
        askAcknowledged();
    }

    /** Makes a marked call of the sink. Returns what it threw; {@code null} if it came back. */
    @SuppressWarnings("CatchThrowable") // a sink may throw anything
    private @Nullable Throwable call(String method, Duration allowance, Runnable body) throws GivenUpException {
        Throwable thrown = null;
        mark.enter(method, allowance.toNanos());
        mark.awaitNone(asking);
        try {
            body.run();
        } catch (Throwable e) {
            thrown = e;
        }
        if (!mark.leave()) {
            throw new GivenUpException();
        }
        return thrown;
    }

    private void warn(String method, Throwable thrown) {
        parts.log()
                .warn(method + ":" + thrown.getClass().getName(), method + " failed: " + Throwables.describe(thrown));
    }
}

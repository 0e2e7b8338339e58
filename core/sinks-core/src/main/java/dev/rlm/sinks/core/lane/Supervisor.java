package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sink.Acknowledged;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a lane's sink in service: has a thread that an error has ended followed by another, gives up a sink that hangs, and
 * replaces it once if there is a factory.
 *
 * <p>What changes, changes under its lock. The lane's thread takes that only where something went wrong and at its end; no
 * sink is called under it, but asked on another thread what it has acknowledged.
 */
final class Supervisor {
    private enum State {
        WORKING,
        HUNG,
        DEAD,
        CLOSED
    }

    private final LaneParts parts;
    private final LongSupplier nanoTime;
    private final @Nullable Supplier<Sink> replacement;
    private final Watch watch = new Watch();
    private final Restarts restarts = new Restarts();
    private boolean startDue; // there was no thread to be had
    private boolean replaced;
    private long patience; // nanoseconds
    private @Nullable SinkCounts givenUp; // the one that hangs
    private Acknowledged settled = new Acknowledged(0, Map.of()); // what came of it
    private volatile GuardedSink sink; // the last that there was
    private volatile DispatchLoop loop;
    private volatile State state = State.WORKING;
    private volatile String trouble = ""; // why the sink is out of service

    /**
     * That of a lane which is to be started.
     *
     * @param replacement makes a second sink, should the first hang; {@code null} if there is no factory
     */
    Supervisor(LaneParts parts, LongSupplier nanoTime, Sink sink, @Nullable Supplier<Sink> replacement) {
        this.parts = parts;
        this.nanoTime = nanoTime;
        this.replacement = replacement;
        this.loop = new DispatchLoop(this, parts, null);
        this.sink = guarded(sink);
        this.patience = this.sink.patience().toNanos();
        parts.counts().begin(new SinkCounts(this.sink));
    }

    private GuardedSink guarded(Sink unguarded) {
        return new GuardedSink(
                unguarded,
                parts.log(),
                parts.events()::isOwnThread,
                () -> loop.mark().isInCall(),
                watch::isStalled);
    }

    // ---- on any thread

    /** The sink, also one that is out of service. */
    GuardedSink sink() {
        return sink;
    }

    /** The sink, unless it is out of service: then others may not call it. */
    @Nullable
    GuardedSink sinkInService() {
        State now = state;
        return now == State.CLOSED || (now == State.WORKING && loop.factory() == null) ? sink : null;
    }

    /** Returns the mark that tells whether the lane's thread is inside a call of the sink. */
    CallMark mark() {
        return loop.mark();
    }

    String trouble() {
        return trouble;
    }

    /** Returns whether the lane's thread is done, or its sink was given up: there is nothing to wait for. */
    boolean isOver() {
        return state != State.WORKING;
    }

    // ---- on the hub's threads

    synchronized void start(@Nullable Supplier<Sink> factory) {
        loop = new DispatchLoop(this, parts, factory);
        parts.events().takenBy(loop.thread());
        tryToStart();
    }

    @SuppressWarnings("CatchThrowable") // an OutOfMemoryError, where there are no more threads to be had
    private void tryToStart() {
        try {
            startDue = false;
            loop.thread().start();
        } catch (Throwable e) {
            startDue = true;
            parts.log().warn("no thread", "has no thread, and is to get one later: " + Throwables.describe(e));
        }
    }

    /** Does what is due; about once a second. */
    synchronized void tick() {
        if (startDue) {
            start(loop.factory());
        } else if (state == State.WORKING) {
            CallMark mark = loop.mark();
            long call = watch.look(mark, nanoTime.getAsLong(), patience);
            if (call != CallMark.NONE && mark.giveUp(call)) {
                hangs(mark.what());
            }
        }
    }

    private void hangs(String method) {
        Thread hanging = loop.thread();
        if (replacement != null && !replaced && !parts.queue().isClosing()) {
            replaced = true;
            settle(Reasons.HUNG);
            trouble = "hangs in " + method + " and is being replaced";
            parts.log().say("hangs in " + method + ": it is replaced by a new one");
            start(replacement);
        } else {
            giveUp("hangs in " + method, ConsumerState.HUNG);
        }
        hanging.interrupt(); // only now: it has nothing to spoil any more
    }

    /**
     * Gives up that call at the end of a close, if it still goes on.
     *
     * @param progressed whether the sink has been handed events meanwhile: then it is slow, and does not hang
     */
    synchronized void giveUpAtClose(CallMark mark, long call, boolean progressed) {
        if (state != State.WORKING || !mark.giveUp(call)) {
            return;
        } else if (progressed) {
            giveUp("was not done with its queue in time for its close", ConsumerState.CLOSED);
        } else {
            giveUp("did not come back from " + mark.what() + " in time for its close", ConsumerState.HUNG);
        }
    }

    private void giveUp(String why, ConsumerState absence) {
        settle(Reasons.HUNG);
        trouble = why;
        state = State.HUNG;
        leave(absence.reason(), absence);
        parts.log().say(why + " and is given up: its events are dropped");
    }

    /** Detaches the sink: events that it has not told to be delivered or dropped are lost for that reason. */
    private void settle(String reason) {
        givenUp = parts.counts().current();
        if (givenUp != null && parts.queue().isClosing()) {
            givenUp.sink().askAtOnce(givenUp);
        } else if (givenUp != null) {
            givenUp.sink().ask(givenUp);
        }
        settled = parts.counts().settle(reason);
        watch.reset();
    }

    private void leave(String reason, ConsumerState absence) {
        if (!parts.queue().isClosing()) {
            parts.events().shut(reason);
        }
        parts.events().desert(absence);
        parts.queue().refuseFlushes();
    }

    /** Sees to it that a lane which is to close has a thread, if there is one to be had; else it is closed as it is. */
    synchronized void startAtLast() {
        if (startDue) {
            start(loop.factory());
        }
        if (startDue) {
            state = State.CLOSED;
            leave(Reasons.CLOSED, ConsumerState.CLOSED);
        }
    }

    // ---- on the lane's threads, also on such as were given up

    /** Returns whether a thread that is back from a call which was given up goes on. If so, its sink is attached again. */
    synchronized boolean mayGoOn(DispatchLoop back) {
        if (back != loop || state != State.HUNG) {
            return false;
        }
        if (givenUp != null) {
            parts.counts().begin(givenUp.again(settled));
        }
        back.renew();
        state = State.WORKING;
        trouble = "";
        parts.events().comeBack();
        if (!parts.queue().isClosing()) {
            parts.events().open();
            parts.lossLog().sayRecovered(parts.counts().ledger(), "has come back and goes on");
        }
        return true;
    }

    /** Has another thread go on with the sink of one that an error has ended; whether one will. */
    @SuppressWarnings("CatchThrowable") // memory may be short for this too
    synchronized boolean restart(DispatchLoop ended, Throwable error) {
        if (ended != loop || isOver()) {
            return false;
        }
        startDue = true; // should the rest fail
        try {
            if (!restarts.allowAnother(nanoTime.getAsLong())) {
                die(error);
                return false;
            }
            parts.log().say("goes on with a new thread after " + Throwables.describe(error));
            if (ended.factory() == null) { // what could not be made just now is made a little later
                start(null);
            }
        } catch (Throwable e) {
            startDue = state == State.WORKING;
        }
        return true;
    }

    private void die(Throwable error) {
        startDue = false;
        settle(Reasons.SINK_DEAD);
        trouble = "dead after " + restarts.errors() + " errors, the last: " + Throwables.describe(error);
        state = State.DEAD;
        leave(Reasons.SINK_DEAD, ConsumerState.DEAD);
        parts.log().say("is " + trouble + "; its events are dropped");
    }

    /** There is a new sink. */
    void made(Sink unguarded) {
        GuardedSink made = guarded(unguarded);
        Duration itsPatience = made.patience();
        synchronized (this) {
            sink = made;
            patience = itsPatience.toNanos();
            parts.counts().begin(new SinkCounts(made));
            parts.breaker().end();
            trouble = "";
        }
    }

    /** The sink has been closed, and the thread ends. */
    synchronized void closed() {
        SinkCounts last = parts.counts().current();
        if (last != null && last.isSilent()) {
            parts.counts().settle(Reasons.SINK_ERROR); // it cannot say what came of its events
        }
        leave(Reasons.CLOSED, ConsumerState.CLOSED);
        parts.lossLog().sayAll(parts.counts().ledger());
        state = State.CLOSED;
    }
}

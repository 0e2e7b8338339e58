package dev.rlm.sinks.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects items into batches and sends them, some at once: when a batch is full, when its first item has waited for the
 * linger, or when a flush wants it. What may be taken later is sent again by the {@link RetryPolicy}; what is not taken
 * together, in halves. Where the server asks to be left alone, nothing is sent until then.
 *
 * <p><b>Threads.</b> It has none of its own: a pool that all share makes the requests, and is empty while nothing is sent.
 * All methods may be called by several threads.
 *
 * <p><b>Room.</b> {@link #add} waits where there is none, as the limits say, and that is all back pressure there is: the lane
 * takes no more.
 */
public final class Batcher<T> {
    private static final int MOST_HUNG = 4; // calls of a sender that have not come back, beside those in flight
    private static final Duration CLOSE = Duration.ofSeconds(1); // to count what was in flight
    private static final Executor THREADS = threads();

    private final BatchSender<T> sender;
    private final RetryPolicy retries;
    private final long giveUpAfter; // in nanoseconds
    private final long lingerNanos;
    private final long leastCost;
    private final int inFlight;
    private final Permits permits;
    private final AtomicInteger calls = new AtomicInteger(); // of the sender, that have not come back

    // Guarded by this
    private final BatchQueue<T> queue; // has permits
    private final BatchQueue<T> behind; // has none
    private final Set<Flight<T>> flights = new HashSet<>();
    private CompletableFuture<?> linger = CompletableFuture.completedFuture(true);
    private CompletableFuture<?> end = new CompletableFuture<>();
    private int due; // how many items have waited for the linger
    private boolean urgent;
    private boolean closed;
    private boolean lostSinceFlush;
    private long arrived; // batches
    private long heldUntil = System.nanoTime(); // by a server that asked to be left alone
    private volatile @Nullable Long endBy;
    private volatile boolean ended;

    public Batcher(BatchSender<T> sender, BatchLimits limits, RetryPolicy retries) {
        this.sender = sender;
        this.retries = retries;
        this.giveUpAfter = retries.giveUpAfter().toNanos();
        this.lingerNanos = limits.linger().toNanos();
        this.leastCost = limits.leastCost();
        this.inFlight = limits.inFlight();
        this.permits = new Permits(limits);
        this.queue = new BatchQueue<>(sender, limits);
        this.behind = new BatchQueue<>(sender, limits);
    }

    private static Executor threads() {
        AtomicInteger count = new AtomicInteger();
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, "rlm-delivery-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    @SuppressWarnings("CatchThrowable") // there may be no more threads to have
    static void execute(Runnable task) {
        try {
            THREADS.execute(task);
        } catch (Throwable e) {
            task.run();
        }
    }

    /** Takes an item; waits for room, and tells the sender of its loss where there is none. */
    public void add(T item) {
        Failure refusal = permits.acquire(cost(item));
        if (refusal == null) {
            put(queue, List.of(item));
            return;
        }
        if (!refusal.isEnd()) {
            tell(sender::pending);
        }
        synchronized (this) {
            lostSinceFlush = true;
        }
        sender.done(List.of(item), refusal);
    }

    private long cost(T item) {
        return Math.max(sender.size(item), leastCost);
    }

    /** Takes items that another bound holds for; they go behind those that were {@linkplain #add added}. */
    public void addBehind(Collection<T> items) {
        put(behind, items);
    }

    private void put(BatchQueue<T> to, Collection<T> items) {
        synchronized (this) {
            if (!closed) {
                items.forEach(to::add);
                startLinger();
                dispatch();
                return;
            }
        }
        lose(items);
    }

    private void lose(Collection<T> items) {
        if (!items.isEmpty()) {
            sender.done(List.copyOf(items), Failure.closed());
        }
    }

    /** Returns about what the items take that wait behind others. */
    public synchronized long sizeBehind() {
        return behind.size();
    }

    /** Returns how many items wait behind others. */
    public synchronized int itemsBehind() {
        return behind.count();
    }

    /** Returns about what all items take that wait. */
    public synchronized long size() {
        return queue.size() + behind.size();
    }

    /** Begins to send all there is, and waits until less waits behind others, or it is closed. */
    public synchronized void awaitLessBehind() {
        long before = behind.size();
        boolean interrupted = false;
        while (behind.size() >= before && !closed && !isIdle()) {
            hasten();
            interrupted |= !pause(Long.MAX_VALUE);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- batches; under the monitor

    private boolean isIdle() {
        return queue.isEmpty() && behind.isEmpty();
    }

    private boolean isDue() {
        return !isIdle() && (urgent || due > 0 || queue.fillsBatch() || behind.fillsBatch() || isEnded());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows sees to itself
    private void startLinger() {
        if (lingerNanos == 0) {
            due = count();
        } else if (linger.isDone() && !isIdle()) {
            linger = after(lingerNanos);
            linger.thenRunAsync(this::lingered, Batcher::execute);
        }
    }

    private int count() {
        return queue.count() + behind.count();
    }

    /** Returns a future that is done after so long; a timer holds it no longer than that. */
    static CompletableFuture<Boolean> after(long nanos) {
        return new CompletableFuture<Boolean>().completeOnTimeout(true, Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }

    private synchronized void lingered() {
        due = count();
        dispatch();
    }

    /** Sends nothing for so long, because the server asks for it. */
    @SuppressWarnings("FutureReturnValueIgnored") // what follows sees to itself
    synchronized void hold(long nanos) {
        long until = System.nanoTime() + nanos;
        heldUntil = until - heldUntil > 0 ? until : heldUntil;
        after(nanos).thenRunAsync(this::dispatch, Batcher::execute);
    }

    /** Returns for how many nanoseconds nothing may be sent yet. */
    synchronized long held() {
        return isEnded() ? 0 : Math.max(0, heldUntil - System.nanoTime());
    }

    /** Sends what is due, as far as there may be more requests in flight. */
    private synchronized void dispatch() {
        while (flights.size() < inFlight && isDue() && held() == 0) {
            List<T> batch = new ArrayList<>();
            queue.moveTo(batch);
            long amount = batch.stream().mapToLong(this::cost).sum();
            behind.moveTo(batch);
            due = Math.max(0, due - batch.size());
            urgent &= !isIdle();
            linger.cancel(false);
            startLinger();
            Flight<T> flight = new Flight<>(this, sender, retries, batch, amount, System.nanoTime() + giveUpAfter);
            flights.add(flight);
            execute(flight::send);
            notifyAll();
        }
    }

    // ---- flush and close

    /** Begins to send all there is. */
    public synchronized void hasten() {
        urgent = !isIdle();
        dispatch();
    }

    /** Sends all there is. Returns whether all that came since the last flush arrived before {@link System#nanoTime} is {@code by}. */
    public boolean flush(long by) {
        return flush(by, () -> true);
    }

    /** Does the same as long as there is hope, which is asked again after {@link #wake}. */
    public synchronized boolean flush(long by, BooleanSupplier hope) {
        long before = arrived;
        long start = System.nanoTime();
        while (!isIdle() || !flights.isEmpty()) {
            hasten();
            long left = by - System.nanoTime();
            boolean interrupted = left > 0 && hope.getAsBoolean() && !pause(left);
            if (left <= 0 || interrupted || !hope.getAsBoolean()) {
                boolean slow = System.nanoTime() - start > TimeUnit.SECONDS.toNanos(1);
                if (arrived == 0 || (arrived == before && slow)) {
                    tell(sender::pending);
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                return false;
            }
        }
        boolean well = !lostSinceFlush;
        lostSinceFlush = false;
        return well;
    }

    /** Ends all requests when {@link System#nanoTime} comes to {@code by}: what has not been taken then is lost. */
    @SuppressWarnings("FutureReturnValueIgnored") // what follows sees to itself
    public synchronized void endBy(long by) {
        endBy = by;
        permits.beginClose();
        end.cancel(false);
        end = after(by - System.nanoTime());
        end.thenRunAsync(this::cut, Batcher::execute);
    }

    boolean isEnded() {
        Long by = endBy;
        return ended || (by != null && System.nanoTime() - by >= 0);
    }

    private void cut() {
        List<Flight<T>> cut;
        synchronized (this) {
            ended = true;
            cut = List.copyOf(flights);
            dispatch();
        }
        cut.forEach(Flight::cut);
    }

    @SuppressWarnings("CatchThrowable") // a batch lands, whatever its sender makes of this
    private static void tell(Runnable hearing) {
        try {
            hearing.run();
        } catch (Throwable e) {
            // it has been told
        }
    }

    void retrying(Failure failure) {
        tell(() -> sender.retrying(failure));
    }

    /** Returns whether a sender may be called now: not while too many calls have not come back. */
    boolean beginCall() {
        return calls.incrementAndGet() <= inFlight + MOST_HUNG;
    }

    void endCall() {
        calls.decrementAndGet();
    }

    /** Ends all requests, and gives up what is left. All has been counted when it returns, save where counting hangs. */
    public void close() {
        List<T> left = new ArrayList<>();
        synchronized (this) {
            closed = true;
            endBy(System.nanoTime());
            end.cancel(false);
            linger.cancel(false);
            permits.close();
            left.addAll(queue.takeAll());
            left.addAll(behind.takeAll());
            notifyAll();
        }
        lose(left);
        cut();
        awaitLanding(System.nanoTime() + CLOSE.toNanos());
    }

    /** Has threads that wait look again. */
    public synchronized void wake() {
        notifyAll();
    }

    private synchronized void awaitLanding(long by) {
        boolean interrupted = false;
        while (!flights.isEmpty() && !interrupted && System.nanoTime() - by < 0) {
            interrupted = !pause(by - System.nanoTime());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits to be notified, for so many nanoseconds at the most; {@code false} if interrupted. */
    @SuppressWarnings("WaitNotInLoop") // the callers loop
    private boolean pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, nanos));
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    synchronized void landed(Flight<T> flight, boolean well) {
        flights.remove(flight);
        if (well) {
            arrived++;
        } else {
            lostSinceFlush = true;
        }
        permits.release(flight.amount(), well);
        notifyAll();
        dispatch();
    }
}

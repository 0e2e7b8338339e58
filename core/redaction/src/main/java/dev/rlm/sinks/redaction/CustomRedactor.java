package dev.rlm.sinks.redaction;

import dev.rlm.sinks.Redactor;
import dev.rlm.sinks.redaction.regex.OverdueException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A redactor of somebody else, on daemon threads of its own. One that takes too long is given up: who asks it for something
 * else is refused at once, until it returns or a minute is over. Then it is asked on a new thread; the minute doubles each
 * time, and after eight threads that never returned no further one is started. Safe for use by several threads.
 */
final class CustomRedactor {
    private static final int MAX_THREADS = 4;
    private static final int MAX_LOST = 8;
    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final Redactor redactor;
    private final Duration timeout;
    private ThreadPoolExecutor threads;
    private @Nullable RedactorCall hanging;
    private long hangingSince;
    private int lost;

    CustomRedactor(Redactor redactor, Duration timeout) {
        this.redactor = redactor;
        this.timeout = timeout;
        this.threads = threads();
    }

    String name() {
        return redactor.getClass().getName();
    }

    /**
     * Returns its findings.
     *
     * @throws OverdueException if it takes too long, or hangs
     * @throws RedactorException if it throws
     */
    List<FoundSecret> find(String text) {
        RedactorCall call = new RedactorCall(redactor, text);
        executor().execute(call);
        if (!call.await(timeout)) {
            giveUp(call);
            throw new OverdueException();
        }
        return call.findings();
    }

    private synchronized ThreadPoolExecutor executor() {
        if (hanging != null && !hanging.isOver()) {
            long pause = PAUSE.toNanos() << lost;
            if (lost >= MAX_LOST || System.nanoTime() - hangingSince < pause) {
                throw new OverdueException();
            }
            lost++;
            threads.shutdownNow();
            threads = threads();
        }
        hanging = null;
        return threads;
    }

    private synchronized void giveUp(RedactorCall call) {
        if (!threads.remove(call)) { // one that had to wait for others does not hang itself
            call.interrupt();
            hanging = call;
            hangingSince = System.nanoTime();
        }
    }

    private ThreadPoolExecutor threads() {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                MAX_THREADS, MAX_THREADS, IDLE.toNanos(), TimeUnit.NANOSECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "rlm-redactor");
                    thread.setDaemon(true);
                    thread.setContextClassLoader(redactor.getClass().getClassLoader());
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }
}

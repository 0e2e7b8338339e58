package dev.rlm.sinks.redaction;

import dev.rlm.sinks.Findings;
import dev.rlm.sinks.Redactor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One text for one redactor, which finds on one thread while another waits. */
final class RedactorCall implements Runnable, Findings {
    private final Redactor redactor;
    private final String text;
    private final List<FoundSecret> findings = new ArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private @Nullable Throwable error;
    private @Nullable Thread runner;

    RedactorCall(Redactor redactor, String text) {
        this.redactor = redactor;
        this.text = text;
    }

    @Override
    @SuppressWarnings("CatchThrowable") // it may throw anything
    public void run() {
        synchronized (this) {
            runner = Thread.currentThread();
        }
        Throwable thrown = null;
        try {
            redactor.find(text, this);
        } catch (Throwable e) {
            thrown = e;
        } finally {
            end(thrown);
        }
    }

    private synchronized void end(@Nullable Throwable thrown) {
        error = thrown;
        runner = null;
        over.countDown();
        boolean unused = Thread.interrupted(); // what was meant for this call
    }

    @Override
    public synchronized void secret(int from, int to, String kind) {
        if (isOver() || findings.size() > text.length()) {
            throw new IllegalStateException("the call is over, or more was marked than there is");
        }
        if (from < 0 || from >= to || to > text.length()) {
            throw new IllegalArgumentException("from " + from + " to " + to + " is not in the text");
        }
        if (!Redaction.isKind(kind)) {
            throw new IllegalArgumentException("a kind has up to 24 small letters, digits and hyphens");
        }
        findings.add(new FoundSecret(from, to, kind, FoundSecret.Rank.CUSTOM, text.substring(from, to)));
    }

    /** Waits, and returns whether the redactor has returned. An interrupt is kept for later. */
    boolean await(Duration time) {
        long by = System.nanoTime() + time.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return over.await(by - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    boolean isOver() {
        return over.getCount() == 0;
    }

    synchronized void interrupt() {
        if (runner != null) {
            runner.interrupt();
        }
    }

    /** Returns the findings. */
    synchronized List<FoundSecret> findings() {
        if (error != null) {
            throw new RedactorException(redactor, error);
        }
        return List.copyOf(findings);
    }
}

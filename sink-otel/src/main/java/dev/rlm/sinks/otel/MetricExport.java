package dev.rlm.sinks.otel;

import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import dev.rlm.sinks.otel.otlp.Tally;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Sends metrics by another exporter, on a thread of its own, and knows how that went. What takes none gets no more. */
final class MetricExport implements MetricExporter {
    private final MetricExporter exporter;
    private final Acceptance acceptance;
    private final Tally tally;
    private final Refusals refusals;
    private final Duration timeout;
    private final Attempts attempts;
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> daemon(task, "rlm-otel-metrics"));
    private int underWay; // guarded by this

    /**
     * @param refusals hears of it where the back end takes no metrics
     * @param timeout how long a request may take, with all attempts
     * @param again whether a request that failed may be made again
     */
    MetricExport(MetricExporter exporter, Acceptance acceptance, Refusals refusals, Duration timeout, boolean again) {
        this.exporter = exporter;
        this.acceptance = acceptance;
        this.tally = acceptance.tally();
        this.refusals = refusals;
        this.timeout = timeout;
        this.attempts = new Attempts(again, tally::failing);
        thread.allowCoreThreadTimeOut(true);
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** How the back end takes them. */
    Acceptance acceptance() {
        return acceptance;
    }

    @Override
    public CompletableResultCode export(Collection<MetricData> metrics) {
        if (acceptance.isRefused()) {
            return CompletableResultCode.ofSuccess();
        }
        CompletableResultCode answer = new CompletableResultCode();
        begin();
        try {
            thread.execute(() -> {
                try {
                    finish(answer, send(metrics));
                } finally {
                    finish(answer, false);
                }
            });
        } catch (RejectedExecutionException e) {
            finish(answer, false);
        }
        return answer;
    }

    private boolean send(Collection<MetricData> metrics) {
        long points = metrics.stream()
                .mapToLong(each -> each.getData().getPoints().size())
                .sum();
        Failure failure = attempts.make(() -> exporter.export(metrics), System.nanoTime() + timeout.toNanos());
        if (failure == null) {
            tally.arrived(points);
        } else if (failure.remedy() == Remedy.NEVER) {
            refusals.refused(acceptance, failure);
        } else if (failure.isPartial()) {
            countRejected(points, failure);
        } else {
            tally.failed(points, failure);
        }
        return failure == null || failure.remedy() == Remedy.NEVER || failure.rejected() == 0;
    }

    private void countRejected(long points, Failure failure) {
        long rejected = Math.min(failure.rejected(), points);
        if (rejected < points) {
            tally.arrived(points - rejected);
        }
        tally.rejected(rejected, rejected == points, failure);
    }

    private synchronized void begin() {
        underWay++;
    }

    /** Answers, if that has not been done. The reader is ready for the next export from then on. */
    private void finish(CompletableResultCode answer, boolean arrived) {
        if (!answer.isDone()) {
            if (arrived) {
                answer.succeed();
            } else {
                answer.fail();
            }
            synchronized (this) {
                underWay--;
                notifyAll();
            }
        }
    }

    /** Waits until no export is under way, within the time: the reader leaves out what comes in the middle of one. */
    synchronized void awaitIdle(long by) {
        while (underWay > 0 && System.nanoTime() - by < 0) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, by - System.nanoTime()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** From then on, in terms of {@link System#nanoTime}, nothing is sent any more. */
    void endBy(long by) {
        attempts.endBy(by);
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
        return exporter.getAggregationTemporality(type);
    }

    @Override
    public Aggregation getDefaultAggregation(InstrumentType type) {
        return exporter.getDefaultAggregation(type);
    }

    @Override
    public MemoryMode getMemoryMode() {
        return exporter.getMemoryMode();
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        attempts.endBy(System.nanoTime());
        thread.shutdown();
        return exporter.shutdown();
    }
}

package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.BatchSender;
import dev.rlm.sinks.delivery.Batcher;
import dev.rlm.sinks.delivery.DeliveryStatus;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.otel.otlp.OtlpConnection;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends metrics or logs to a back end, which may not take them at all: a back end of traces takes neither. Once it has said
 * so it is not bothered again. Safe for use by several threads.
 */
abstract class SignalExport<T> implements BatchSender<T> {
    private final String data;
    private final DeliveryStatus status;
    private final String offSwitch;
    private final List<OtlpConnection> connections;
    private final Refusals refusals;
    private final Batcher<T> batcher;
    private volatile @Nullable Failure refusal;

    /**
     * @param data what is sent: {@code metrics}, {@code logs}
     * @param offSwitch the variable that turns it off
     * @param connections by which it is sent; none where something else than OTLP sends
     * @param refusals hears of it where the back end takes none
     */
    SignalExport(
            String data,
            DeliveryStatus status,
            String offSwitch,
            List<OtlpConnection> connections,
            Refusals refusals,
            BatchLimits limits,
            RetryPolicy retries) {
        this.data = data;
        this.status = status;
        this.offSwitch = offSwitch;
        this.connections = connections;
        this.refusals = refusals;
        this.batcher = new Batcher<>(this, limits, retries);
    }

    final String data() {
        return data;
    }

    final DeliveryStatus status() {
        return status;
    }

    final String offSwitch() {
        return offSwitch;
    }

    final List<OtlpConnection> connections() {
        return connections;
    }

    public final Batcher<T> batcher() {
        return batcher;
    }

    /** Notes that the back end takes none. */
    final void refuse(Failure failure) {
        refusal = failure;
    }

    /** Returns whether the back end has refused this kind of data for good. */
    final boolean isRefused() {
        return refusal != null;
    }

    /** Returns whether the failure refuses this kind of data for good, and notes the refusal if so. */
    final boolean isRefusedBy(@Nullable Failure failure) {
        if (failure == null || failure.remedy() != Remedy.NEVER) {
            return false;
        }
        refusals.refused(this, failure);
        return true;
    }

    /** Sends what the exporter does, unless the back end has said that it takes none. */
    final CompletionStage<Optional<Failure>> unlessRefused(Supplier<CompletableResultCode> export) {
        Failure refused = refusal;
        return refused == null ? answer(export.get()) : CompletableFuture.completedFuture(Optional.of(refused));
    }

    /** The result of one of OpenTelemetry's exporters in terms of the delivery kit. */
    static CompletionStage<Optional<Failure>> answer(CompletableResultCode result) {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        result.whenComplete(() -> answer.complete(
                result.isSuccess() ? Optional.empty() : Optional.of(Failure.of(result.getFailureThrowable()))));
        return answer;
    }

    /**
     * Returns whether the last request failed, and the next may not: a back end that refuses for good is not failing.
     */
    public final boolean isFailing() {
        return refusal == null && status.failure() != null;
    }

    @Override
    public void retrying(Failure failure) {
        status.failing(failure);
    }

    /** Asks whether it takes any; why not, if that answer comes before {@link System#nanoTime} comes to {@code by}. */
    final @Nullable Failure ask(long by) {
        List<CompletableFuture<Optional<Failure>>> asked =
                connections.stream().map(OtlpConnection::probe).toList();
        for (CompletableFuture<Optional<Failure>> answer : asked) {
            Failure failure = await(answer, by);
            if (failure != null && failure.remedy() == Remedy.NEVER) {
                return failure;
            }
        }
        return null;
    }

    /**
     * Returns the failure that is answered, or {@link Failure#timeout} if no answer comes in time; {@code null} if all
     * is well.
     */
    static @Nullable Failure await(CompletableFuture<Optional<Failure>> answer, long by) {
        try {
            return answer.get(Math.max(0, by - System.nanoTime()), TimeUnit.NANOSECONDS)
                    .orElse(null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Failure.timeout();
        } catch (ExecutionException | TimeoutException e) {
            return Failure.timeout();
        }
    }

    /** Returns the last failure, as the end of a line; empty if there is none. A refusal for good is not a failure. */
    final String trouble() {
        Failure failure = refusal == null ? status.failure() : null;
        return failure == null ? "" : ", " + data + ": " + failure.text();
    }

    /** All that is known, for {@link dev.rlm.sinks.Sink.Health#facts}. */
    final Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>(status.facts(data + "_"));
        Failure refused = refusal;
        if (refused != null) {
            facts.put(data + "_refused", refused.text());
        }
        return facts;
    }
}

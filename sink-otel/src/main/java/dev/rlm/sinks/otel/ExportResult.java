package dev.rlm.sinks.otel;

import dev.rlm.sinks.delivery.Batcher;
import dev.rlm.sinks.delivery.Failure;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Translation of OpenTelemetry's results to those of the delivery kit, and back. */
final class ExportResult {
    private static final Duration FORCED = Duration.ofSeconds(30);

    private ExportResult() {}

    static CompletionStage<Optional<Failure>> of(CompletableResultCode result) {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        result.whenComplete(() -> answer.complete(
                result.isSuccess() ? Optional.empty() : Optional.of(Failure.of(result.getFailureThrowable()))));
        return answer;
    }

    /** Sends all there is, within half a minute. */
    static CompletableResultCode ofFlush(Batcher<?> batcher) {
        return batcher.flush(System.nanoTime() + FORCED.toNanos())
                ? CompletableResultCode.ofSuccess()
                : CompletableResultCode.ofFailure();
    }
}

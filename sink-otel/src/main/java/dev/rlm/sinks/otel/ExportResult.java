package dev.rlm.sinks.otel;

import dev.rlm.sinks.delivery.Failure;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Translation of OpenTelemetry's results to those of the delivery kit. */
final class ExportResult {
    private ExportResult() {}

    static CompletionStage<Optional<Failure>> of(CompletableResultCode result) {
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        result.whenComplete(() -> answer.complete(
                result.isSuccess() ? Optional.empty() : Optional.of(Failure.of(result.getFailureThrowable()))));
        return answer;
    }
}

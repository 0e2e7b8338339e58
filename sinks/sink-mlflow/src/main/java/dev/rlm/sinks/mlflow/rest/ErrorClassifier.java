package dev.rlm.sinks.mlflow.rest;

import dev.rlm.json.Json;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.delivery.HttpFailure;
import dev.rlm.sinks.delivery.ServerText;
import dev.rlm.sinks.delivery.http.HttpBody;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import okhttp3.Response;
import tools.jackson.databind.JsonNode;

/**
 * Classifier of the refusals of the server, as seen with MLflow 3.17: some with status 400 pass by themselves, since its database had
 * no connection left; some with status 500 never do, since it could not read the request.
 */
final class ErrorClassifier {
    private static final List<String> FULL = List.of("QueuePool limit", "database is locked", "too many clients");

    private ErrorClassifier() {}

    static Failure of(Response response, HttpBody body, JsonNode json, List<String> secrets) {
        int status = response.code();
        String code = json.path("error_code").asString("");
        boolean html = body.type().contains("html");
        String said = html ? "" : said(body, json);
        Failure failure = HttpFailure.of(status, response.header("Retry-After"));
        return failure.detail(meaning(status, said)
                        .map(meaning -> "HTTP status " + status + ": " + meaning)
                        .orElse(failure.detail()))
                .said(ServerText.line(said, Map.of("", secrets)))
                .remedy(isGone(code, said) ? Remedy.NONE : remedy(status, html, said));
    }

    private static String said(HttpBody body, JsonNode json) {
        JsonNode message = json.has("message") ? json.path("message") : json.path("detail");
        return message.isMissingNode() ? body.text() : Objects.toString(Json.values(message), body.text());
    }

    private static Remedy remedy(int status, boolean html, String said) {
        return switch (status) {
            case 408, 425, 429, 502, 503, 504 -> Remedy.RETRY;
            case 400 -> isFull(said) ? Remedy.RETRY : Remedy.SPLIT;
            case 413, 422 -> Remedy.SPLIT;
            case 500 -> html ? Remedy.SPLIT : Remedy.RETRY;
            default -> Remedy.NONE;
        };
    }

    private static boolean isFull(String said) {
        return FULL.stream().anyMatch(said::contains);
    }

    static boolean isGone(String errorCode, String message) {
        return errorCode.equals("RESOURCE_DOES_NOT_EXIST")
                || (errorCode.startsWith("INVALID_") && message.contains("must be in the 'active' state"));
    }

    /** Returns what it means to MLflow, where that is not what it means to all. */
    private static Optional<String> meaning(int status, String said) {
        return switch (status) {
            case 400 -> Optional.of(isFull(said) ? "overloaded" : "refused as not valid");
            case 401 -> Optional.of("credentials are missing or wrong (MLFLOW_TRACKING_USERNAME, _PASSWORD, _TOKEN)");
            case 403 ->
                said.startsWith("Invalid Host")
                        ? Optional.of(
                                "the server is not to be reached by this name until it is started with --allowed-hosts")
                        : Optional.empty();
            case 404 -> Optional.of("not there");
            default -> Optional.empty();
        };
    }
}

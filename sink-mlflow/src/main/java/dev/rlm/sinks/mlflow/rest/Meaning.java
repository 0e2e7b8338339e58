package dev.rlm.sinks.mlflow.rest;

import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import dev.rlm.sinks.otel.otlp.ServerText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the server's refusals mean, as seen with MLflow 3.17: some with status 400 pass by themselves, since its database had
 * no connection left; some with status 500 never do, since it could not read the request.
 */
final class Meaning {
    private static final List<String> FULL = List.of("QueuePool limit", "database is locked", "too many clients");

    private Meaning() {}

    static Failure of(
            int status, String contentType, byte[] body, Map<String, @Nullable Object> json, List<String> secrets) {
        String code = Objects.toString(json.getOrDefault("error_code", ""));
        boolean html = contentType.toLowerCase(Locale.ROOT).contains("html");
        String said = html ? "" : said(body, json);
        return new Failure(
                "export_http_" + status,
                "HTTP status " + status + meaning(status, said),
                ServerText.line(said, Map.of("", secrets)),
                isGone(code, said) ? Remedy.NONE : remedy(status, html, said),
                Duration.ZERO,
                Failure.ALL);
    }

    private static String said(byte[] body, Map<String, @Nullable Object> json) {
        Object message = json.getOrDefault("message", json.get("detail"));
        return message == null ? new String(body, StandardCharsets.UTF_8) : Objects.toString(message);
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

    private static String meaning(int status, String said) {
        return switch (status) {
            case 400 -> isFull(said) ? ": overloaded" : ": refused as not valid";
            case 401 -> ": credentials are missing or wrong (MLFLOW_TRACKING_USERNAME, _PASSWORD, _TOKEN)";
            case 403 ->
                said.startsWith("Invalid Host")
                        ? ": the server is not to be reached by this name until it is started with --allowed-hosts"
                        : ": not allowed with these credentials";
            case 404 -> ": not there";
            case 413 -> ": too large";
            case 429 -> ": too many requests";
            case 502, 503, 504 -> ": out of order or overloaded";
            default -> status / 100 == 3 ? ": moved to another address" : status / 100 == 5 ? ": its own error" : "";
        };
    }
}

package dev.rlm.sinks.otel.otlp;

import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** What HTTP's statuses other than success mean for an export. */
final class HttpStatus {
    private static final Pattern JSON_MESSAGE =
            Pattern.compile("\"(?:message|detail|error)\"\\s*:\\s*\"([^\"]{1,400})", Pattern.CASE_INSENSITIVE);
    private static final Duration LONGEST = Duration.ofDays(365);

    private HttpStatus() {}

    static Failure failure(Response response, Body body) {
        int code = response.code();
        return Failure.of("export_http_" + code, "HTTP status " + code + meaning(code), remedy(code))
                .said(said(body))
                .retryAfter(retryAfter(response.header("Retry-After"), Instant.now()));
    }

    private static String meaning(int code) {
        return switch (code) {
            case 400 -> ": the request is not understood";
            case 401 -> ": credentials are missing or wrong (OTEL_EXPORTER_OTLP_HEADERS)";
            case 403 -> ": not allowed with these credentials (OTEL_EXPORTER_OTLP_HEADERS)";
            case 404, 405 -> ": this is not taken at this address";
            case 413 -> ": too large";
            case 415 -> ": not in this format (OTEL_EXPORTER_OTLP_PROTOCOL)";
            case 429 -> ": too many requests";
            case 502, 503, 504 -> ": out of order or overloaded";
            default -> code / 100 == 3 ? ": moved to another address" : code / 100 == 5 ? ": its own error" : "";
        };
    }

    private static Remedy remedy(int code) {
        return switch (code) {
            case 429, 502, 503, 504 -> Remedy.RETRY;
            case 413 -> Remedy.SPLIT;
            case 404 -> Remedy.NEVER;
            default -> Remedy.NONE;
        };
    }

    /** The message in the body, whichever way it is put. Pages for people are left out. */
    private static String said(Body body) {
        if (body.isHtml()) {
            return "";
        } else if (body.isJson()) {
            Matcher message = JSON_MESSAGE.matcher(body.text());
            return message.find() ? message.group(1) : body.text();
        } else if (body.type().contains("protobuf")) {
            return RpcStatus.read(body.bytes()).message();
        }
        return body.type().isEmpty() || body.type().startsWith("text/") ? body.text() : "";
    }

    /** In seconds or as a date; zero where it is neither. */
    static Duration retryAfter(@Nullable String header, Instant now) {
        if (header == null) {
            return Duration.ZERO;
        }
        String value = header.strip();
        try {
            if (value.matches("\\d+")) {
                return value.length() > 8 ? LONGEST : Duration.ofSeconds(Long.parseLong(value));
            }
            Instant then = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT))
                    .toInstant();
            Duration left = Duration.between(now, then);
            return left.isNegative() ? Duration.ZERO : left.compareTo(LONGEST) > 0 ? LONGEST : left;
        } catch (DateTimeException | ArithmeticException e) {
            return Duration.ZERO;
        }
    }
}

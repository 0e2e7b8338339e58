package dev.rlm.sinks.otel.otlp;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.delivery.HttpFailure;
import dev.rlm.sinks.delivery.http.AnswerReader;
import dev.rlm.sinks.delivery.http.HttpBody;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Meaning of HTTP errors for an export: 404 refuses for good, because a server without the signal lacks its address.
 */
final class HttpStatus {
    private static final Pattern JSON_MESSAGE =
            Pattern.compile("\"(?:message|detail|error)\"\\s*:\\s*\"([^\"]{1,400})", Pattern.CASE_INSENSITIVE);

    /** Reader of answers to requests other than exports. */
    static final AnswerReader OF_JSON = new AnswerReader() {
        @Override
        public @Nullable Failure read(Response response) {
            HttpBody body = HttpBody.tryToRead(response, MAX_ANSWER);
            if (!response.isSuccessful()) {
                return HttpStatus.failure(response, body);
            }
            return body.isHtml() ? OtlpConnection.notOtlp("a web page") : null;
        }

        @Override
        public Failure failure(IOException error) {
            return OtlpConnection.network(error);
        }
    };

    private static final int MAX_ANSWER = 4 << 10;

    private HttpStatus() {}

    static Failure failure(Response response, HttpBody body) {
        int code = response.code();
        Failure failure = HttpFailure.of(code, response.header("Retry-After"));
        return failure.detail(failure.detail() + variable(code))
                .remedy(code == 404 ? Remedy.NEVER : failure.remedy())
                .said(said(body));
    }

    private static String variable(int code) {
        return switch (code) {
            case 401, 403 -> " (OTEL_EXPORTER_OTLP_HEADERS)";
            case 415 -> " (OTEL_EXPORTER_OTLP_PROTOCOL)";
            default -> "";
        };
    }

    /** The message in the body, whichever way it is put. Pages for people are left out. */
    private static String said(HttpBody body) {
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
}

package dev.rlm.sinks.otel.otlp;

import dev.rlm.sinks.delivery.Failure;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reader of OTLP's export answers, which look the same for all signals: {@code partial_success} is field 1, in it the
 * number of rejected items field 1 and a message field 2.
 */
final class ExportAnswer {
    private static final int PARTIAL_SUCCESS = 1;
    private static final int REJECTED = 1;
    private static final int MESSAGE = 2;

    private static final Pattern JSON =
            Pattern.compile("\\{\\s*(\"partial_?success\"\\s*:.*)?}", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern JSON_REJECTED =
            Pattern.compile("\"rejected\\w{1,20}\"\\s*:\\s*\"?(\\d{1,18})", Pattern.CASE_INSENSITIVE);
    private static final Pattern JSON_MESSAGE =
            Pattern.compile("\"error_?message\"\\s*:\\s*\"([^\"]{1,400})", Pattern.CASE_INSENSITIVE);

    private ExportAnswer() {}

    /**
     * Returns the rejection that the answer tells; {@code null} if all was taken.
     *
     * @throws IllegalArgumentException if it is not an answer to an export
     */
    static @Nullable Failure read(byte[] protobuf) {
        ProtoFields partial = new ProtoFields(protobuf).message(PARTIAL_SUCCESS);
        return failure(Math.max(0, partial.number(REJECTED)), partial.text(MESSAGE));
    }

    /** The same of an answer in JSON, which some servers give whatever they were asked in. */
    static @Nullable Failure readJson(byte[] json) {
        String text = new String(json, StandardCharsets.UTF_8).strip();
        if (!JSON.matcher(text).matches()) {
            throw new IllegalArgumentException("no answer to an export");
        }
        Matcher rejected = JSON_REJECTED.matcher(text);
        Matcher message = JSON_MESSAGE.matcher(text);
        return failure(rejected.find() ? Long.parseLong(rejected.group(1)) : 0, message.find() ? message.group(1) : "");
    }

    private static @Nullable Failure failure(long rejected, String message) {
        return rejected == 0 && message.isEmpty() ? null : Failure.rejected(rejected, message);
    }
}

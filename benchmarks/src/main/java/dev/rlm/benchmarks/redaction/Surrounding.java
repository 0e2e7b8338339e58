package dev.rlm.benchmarks.redaction;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** Surroundings in which secrets stand in what agents read and write, with the way in which text is written there. */
@SuppressWarnings("ImmutableEnumChecker") // a function of constants
enum Surrounding {
    PLAIN("the line ", "\nends here"),
    LOG_LINE("2026-01-01T10:00:00Z WARN c.e.Client - retry with ", " in 3 s\n"),
    SHELL("$ run --fast ", " && echo done\n"),
    YAML("job:\n  steps:\n  - run: ", "\n  - uses: cache\n"),
    MARKDOWN("Use `", "` as it is shown.\n"),
    TABLE("| ", " | 1 |\n"),
    CSV("1,", ",2\n"),
    ADDED_LINE("\n+", "\n"),
    HTTP("POST /v1/chat HTTP/1.1\r\nX-Data: ", "\r\n\r\n"),
    TERMINAL_COLOURS("\u001B[01;32m\u001B[K", "\u001B[m\u001B[K\n"),
    COLOURS_IN_JSON("{\"out\":\"\\u001b[32m", "\\u001b[0m\"}", Surrounding::json),
    JSON("{\"role\":\"user\",\"content\":\"", "\",\"n\":1}", Surrounding::json),
    JSON_IN_JSON("{\"arguments\":\"{\\\"q\\\":\\\"", "\\\"}\"}", text -> json(json(text))),
    HTML("<td>", "</td>", Surrounding::html),
    URL_ENCODED("https://example.org/q?text=", "&n=1", text -> URLEncoder.encode(text, StandardCharsets.UTF_8)),
    BASE64("data ", " end", text -> Base64.getEncoder().encodeToString(bytes(text))),
    BASE64_URL("data ", " end", text -> Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(text)));

    private static final int GROUP = 4; // digits of base64 for three bytes

    private final String before;
    private final String after;
    private final UnaryOperator<String> written;

    Surrounding(String before, String after) {
        this(before, after, text -> text);
    }

    Surrounding(String before, String after, UnaryOperator<String> written) {
        this.before = before;
        this.after = after;
        this.written = written;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    String of(String text) {
        return before + written.apply(text) + after;
    }

    /** Returns what of a text in this surrounding is the secret that stands behind the head. */
    String secret(String head, String secret) {
        if (this != BASE64 && this != BASE64_URL) {
            return written.apply(secret);
        }
        int first = (bytes(head).length + 2) / 3 * GROUP; // whole groups
        int last = bytes(head + secret).length / 3 * GROUP;
        return written.apply(head + secret).substring(Math.min(first, last), last);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String json(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    private static String html(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}

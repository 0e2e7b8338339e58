package dev.rlm.sinks.delivery;

import java.util.List;
import java.util.Map;

/** Text of servers, made fit for a line of a status or a log. */
public final class ServerText {
    private static final int MAX_CHARACTERS = 200;
    private static final int MAX_READ = 4_000;
    private static final int MIN_SECRET = 6;

    private ServerText() {}

    /**
     * Returns the text in one line, without control characters, of 200 characters at the most, and without what the request's headers hold:
     * a server may quote the credential that it does not like.
     */
    public static String line(String text, Map<String, List<String>> headers) {
        return line(without(headers, text)); // in this order: half a secret could not be told
    }

    private static String line(String text) {
        String start = text.length() > MAX_READ ? text.substring(0, MAX_READ) : text;
        String line =
                start.replaceAll("[\\p{Cntrl}\\p{Co}\\p{Cs}\\uFFFD\\s]+", " ").strip();
        return line.codePointCount(0, line.length()) <= MAX_CHARACTERS
                ? line
                : line.substring(0, line.offsetByCodePoints(0, MAX_CHARACTERS)) + "…";
    }

    private static String without(Map<String, List<String>> headers, String text) {
        String result = text;
        for (Map.Entry<String, List<String>> header : headers.entrySet()) {
            if (header.getKey().equalsIgnoreCase("user-agent")) {
                continue;
            }
            for (String value : header.getValue()) {
                result = without(value, result);
                result = without(value.substring(value.indexOf(' ') + 1), result); // behind its scheme
            }
        }
        return result;
    }

    private static String without(String secret, String text) {
        if (secret.length() < MIN_SECRET) {
            return text;
        }
        String rest = text.replace(secret, "…");
        for (int length = secret.length() - 1; length >= MIN_SECRET; length--) {
            if (rest.endsWith(secret.substring(0, length))) { // no more of the answer has been read
                return rest.substring(0, rest.length() - length) + "…";
            }
        }
        return rest;
    }
}

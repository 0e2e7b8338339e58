package dev.rlm.sinks;

import java.io.PrintWriter;
import java.io.StringWriter;

/** What an error says of itself, for one that may even fail to do so. */
final class ErrorText {
    private ErrorText() {}

    static String message(Throwable error) {
        try {
            String message = error.getMessage();
            return message == null ? error.getClass().getSimpleName() : message;
        } catch (RuntimeException e) {
            return error.getClass().getSimpleName();
        }
    }

    static String stackTrace(Throwable error) {
        StringWriter text = new StringWriter();
        try {
            error.printStackTrace(new PrintWriter(text));
        } catch (RuntimeException e) {
            text.append(error.getClass().getName());
        }
        return text.toString();
    }
}

package dev.rlm.sinks.otel.otlp;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why a request was not taken, or not wholly.
 *
 * @param reason one of few words, for counting
 * @param detail what went wrong, in plain words and one line; nothing that a server says
 * @param said what the server says of it; outside of this package in one line, cut and without the request's secrets. Empty
 *     where it says nothing
 * @param remedy what may help
 * @param retryAfter how long the server asks to be left alone; zero where it does not
 * @param rejected how many items of the request were refused; {@link #ALL} where none was taken
 */
public record Failure(String reason, String detail, String said, Remedy remedy, Duration retryAfter, long rejected) {
    public static final long ALL = Long.MAX_VALUE;

    private static final String CLOSED = "closed";

    /** What may help after a failure. */
    public enum Remedy {
        /** Nothing; the next request may fare better. */
        NONE,
        /** To send the same again, a little later. */
        RETRY,
        /** To send the same in smaller parts. */
        SPLIT,
        /** Nothing: this kind of data is not taken there at all. */
        NEVER
    }

    /** None of it was taken. */
    public static Failure of(String reason, String detail, Remedy remedy) {
        return new Failure(reason, detail, "", remedy, Duration.ZERO, ALL);
    }

    /** Whatever an exporter failed with. */
    public static Failure of(@Nullable Throwable error) {
        if (error == null) {
            return of("export_failed", "the exporter gave no reason", Remedy.NONE);
        }
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof NotTakenException told) {
                return told.failure();
            }
        }
        // Its message is not shown: it may quote a header, with its secret.
        return of(
                "export_failed", "the exporter failed with " + error.getClass().getName(), Remedy.NONE);
    }

    /** There was no answer while somebody waited for it. */
    public static Failure timeout() {
        return of("export_timeout", "no answer in time", Remedy.RETRY);
    }

    /** A request is still under way when its answer was to be there. */
    public static Failure pending() {
        return of("export_pending", "nothing has answered so far", Remedy.NONE);
    }

    /** It was given up because the sender is closed. */
    public static Failure closed() {
        return of(CLOSED, "closed before it was sent", Remedy.NONE);
    }

    /** It was sent, and there was no answer until the sender was closed. */
    public static Failure unanswered() {
        return of("export_timeout", "no answer before the close", Remedy.NONE);
    }

    /** Whether nothing is known to be wrong but that the sender is closed: what was wrong before tells more. */
    public boolean isEnd() {
        return reason.equals(CLOSED) || equals(unanswered());
    }

    static Failure partial(long rejected, String said) {
        return new Failure("export_rejected", "rejected", said, Remedy.NONE, Duration.ZERO, rejected);
    }

    static Failure notOtlp(String instead) {
        return of("export_not_otlp", "not an OTLP endpoint: it answers with " + instead, Remedy.NONE);
    }

    Failure said(String text) {
        return new Failure(reason, detail, text, remedy, retryAfter, rejected);
    }

    Failure retryAfter(Duration time) {
        return new Failure(reason, detail, said, remedy, time, rejected);
    }

    Failure detail(String other) {
        return new Failure(reason, other, said, remedy, retryAfter, rejected);
    }

    /** Whether the request was understood, and some or all items refused one by one. */
    public boolean isPartial() {
        return rejected != ALL;
    }

    /** All of it, for people whose eyes it may meet once secrets are taken out of it. */
    public String text() {
        return said.isEmpty() ? detail : detail + " (“" + said + "”)";
    }
}

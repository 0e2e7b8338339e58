package dev.rlm.sinks.delivery;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reason why a request was not taken, or not wholly.
 *
 * @param reason one of few words, for counting
 * @param detail what went wrong, in plain words and one line; nothing that a server says
 * @param said what the server says of it, in one line, cut and without secrets: see {@link ServerText}; may be empty
 * @param remedy what may help
 * @param retryAfter how long the server asks to be left alone; zero where it does not
 * @param rejected the number of items of the request that were refused; {@link #ALL} if all were
 */
public record Failure(String reason, String detail, String said, Remedy remedy, Duration retryAfter, long rejected) {
    public static final long ALL = Long.MAX_VALUE;

    private static final String CLOSED = "closed";
    private static final String BUFFER_FULL = "buffer_full";
    private static final String PENDING = "export_pending";

    /** Remedy of a failure. */
    public enum Remedy {
        /** Nothing: the failure is permanent for these items; the next request may fare better. */
        NONE,
        /** Sending the same again, a little later. */
        RETRY,
        /** Sending the same in smaller parts. */
        SPLIT,
        /** Nothing: this kind of data is not taken there at all. */
        NEVER
    }

    /** Returns a failure by which no item was taken. */
    public static Failure of(String reason, String detail, Remedy remedy) {
        return new Failure(reason, detail, "", remedy, Duration.ZERO, ALL);
    }

    /** Returns the failure that an exception carries, or a permanent one that names its class. */
    public static Failure of(@Nullable Throwable error) {
        if (error == null) {
            return of("export_failed", "the exporter gave no reason", Remedy.NONE);
        }
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof DeliveryException told) {
                return told.failure();
            }
        }
        // Its message is not shown: it may quote a header, with its secret.
        return of(
                "export_failed", "the exporter failed with " + error.getClass().getName(), Remedy.NONE);
    }

    /** Returns the failure of a request that was taken but for some items. */
    public static Failure rejected(long items, String said) {
        return new Failure("export_rejected", "rejected", said, Remedy.NONE, Duration.ZERO, items);
    }

    /** Returns the failure of a request without an answer in time. */
    public static Failure timeout() {
        return of("export_timeout", "no answer in time", Remedy.RETRY);
    }

    /** Returns the failure of a flush whose time is over before a request has an answer. */
    public static Failure pending() {
        return of(PENDING, "nothing has answered so far", Remedy.NONE);
    }

    /** Returns the failure of items that were never sent because the sender is closed. */
    public static Failure closed() {
        return of(CLOSED, "closed before it was sent", Remedy.NONE);
    }

    /** Returns the failure of items that were never sent because too many waited already. */
    public static Failure bufferFull() {
        return of(BUFFER_FULL, "there was no room for it", Remedy.NONE);
    }

    /** Returns the failure of a request that was in flight when the sender was closed. */
    public static Failure unanswered() {
        return of("export_timeout", "no answer before the close", Remedy.NONE);
    }

    /** Returns whether nothing is known to be wrong but that the sender is closed: what was wrong before tells more. */
    public boolean isEnd() {
        return reason.equals(CLOSED) || equals(unanswered());
    }

    /** Returns whether the items were not even tried. */
    boolean isUntried() {
        return reason.equals(CLOSED) || reason.equals(BUFFER_FULL);
    }

    /** Returns whether it tells more than an earlier one. The end at a close does where there was no answer so far. */
    boolean tellsMoreThan(Failure earlier) {
        return isEnd() ? earlier.reason.equals(PENDING) : !reason.equals(PENDING);
    }

    /** Returns whether the request was understood, and some or all items refused one by one. */
    public boolean isPartial() {
        return rejected != ALL;
    }

    /** Returns the same with what the server says. */
    public Failure said(String text) {
        return new Failure(reason, detail, text, remedy, retryAfter, rejected);
    }

    /** Returns the same with the time for which the server asks to be left alone. */
    public Failure retryAfter(Duration time) {
        return new Failure(reason, detail, said, remedy, time, rejected);
    }

    /** Returns the same in other words. */
    public Failure detail(String other) {
        return new Failure(reason, other, said, remedy, retryAfter, rejected);
    }

    /** Returns the same with another remedy. */
    public Failure remedy(Remedy other) {
        return new Failure(reason, detail, said, other, retryAfter, rejected);
    }

    /** Returns the same with so many items that were refused. */
    public Failure rejected(long items) {
        return new Failure(reason, detail, said, remedy, retryAfter, items);
    }

    /** Returns all of it, for people whose eyes it may meet once secrets are taken out of it. */
    public String text() {
        return said.isEmpty() ? detail : detail + " (“" + said + "”)";
    }
}

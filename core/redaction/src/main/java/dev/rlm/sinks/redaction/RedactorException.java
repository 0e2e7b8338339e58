package dev.rlm.sinks.redaction;

import dev.rlm.sinks.Redactor;

/** Says that a redactor threw. It has no cause, whose message may hold what must not be seen. */
final class RedactorException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RedactorException(Redactor redactor, Throwable error) {
        super(redactor.getClass().getName() + " threw " + error.getClass().getName(), null, false, false);
    }
}

package dev.rlm.sinks.redaction;

import dev.rlm.sinks.Redactor;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Options of redaction: the kinds of data, further redactors, and the time for each text.
 *
 * @param personal which personal data count as secrets
 * @param redactors who looks for secrets besides
 * @param textTimeout how long the redaction of a text may take
 * @param nameTimeout how long a further redactor may take for a name or a tag, for which the runner waits
 */
public record RedactionOptions(
        boolean enabled,
        Set<PersonalData> personal,
        List<Redactor> redactors,
        Duration textTimeout,
        Duration nameTimeout) {
    private static final Duration TEXT = Duration.ofSeconds(5);
    private static final Duration NAME = Duration.ofMillis(100);

    public RedactionOptions {
        personal = Set.copyOf(personal);
        redactors = List.copyOf(redactors);
    }

    /** With five seconds for a text and 100 ms for a name. */
    public static RedactionOptions of(boolean enabled, Set<PersonalData> personal, List<Redactor> redactors) {
        return new RedactionOptions(enabled, personal, redactors, TEXT, NAME);
    }
}

package dev.rlm.sinks;

import dev.rlm.sinks.redaction.Redaction;
import dev.rlm.sinks.redaction.RedactionOptions;
import dev.rlm.sinks.redaction.Redactor;
import java.util.ArrayList;
import java.util.List;

/** The redaction that a configuration asks for, with the secrets that it tells of. */
final class RedactionSetup {
    private RedactionSetup() {}

    /** With the redactors that were added, and those that are found. */
    static Redaction of(SinkConfig config, boolean enabled, List<Redactor> added) {
        boolean emails = config.shared().bool("RLM_REDACT_EMAIL", false);
        List<Redactor> redactors = new ArrayList<>(added);
        if (enabled) {
            try {
                redactors.addAll(Providers.redactors(config));
            } catch (SinkConfigException e) {
                throw redacted(e, knowing(config, RedactionOptions.of(true, emails, List.of())));
            }
        }
        return knowing(config, RedactionOptions.of(enabled, emails, redactors));
    }

    private static Redaction knowing(SinkConfig config, RedactionOptions options) {
        Redaction redaction = new Redaction(options);
        config.forEachValue(redaction::registerVariable);
        if (config.isOfThisProcess()) {
            redaction.registerEnvironment();
        }
        return redaction;
    }

    /** The error without secrets. */
    static SinkConfigException redacted(SinkConfigException error, Redaction redaction) {
        String message = String.valueOf(error.getMessage());
        String redacted = redaction.text(message);
        return redacted.equals(message) ? error : new SinkConfigException(redacted); // whose cause would tell it too
    }
}

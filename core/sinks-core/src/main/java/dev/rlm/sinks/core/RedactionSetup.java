package dev.rlm.sinks.core;

import dev.rlm.sinks.Redactor;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.redaction.PersonalData;
import dev.rlm.sinks.redaction.Redaction;
import dev.rlm.sinks.redaction.RedactionOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The redaction that a configuration asks for, with the secrets that it tells of. */
final class RedactionSetup {
    private RedactionSetup() {}

    /** With the redactors that were added, and those that are found. */
    static Redaction of(SinkConfig config, boolean enabled, List<Redactor> added) {
        Set<PersonalData> personal = Stream.of(PersonalData.values())
                .filter(data -> config.shared().bool(data.variable(), false))
                .collect(Collectors.toSet());
        List<Redactor> redactors = new ArrayList<>(added);
        if (enabled) {
            try {
                redactors.addAll(Providers.redactors(config));
            } catch (SinkConfigException e) {
                throw redacted(e, knowing(config, RedactionOptions.of(true, personal, List.of())));
            }
        }
        return knowing(config, RedactionOptions.of(enabled, personal, redactors));
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

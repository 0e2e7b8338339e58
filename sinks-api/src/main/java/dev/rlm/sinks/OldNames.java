package dev.rlm.sinks;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Former names of variables, which are still read where the present ones are not set. */
final class OldNames {
    private static final Map<String, String> BY_PRESENT = Map.of(
            "RLM_OTEL_ENABLED", "DSPY_RLM_OTEL_ENABLED",
            "RLM_OTEL_METRICS_ENABLED", "DSPY_RLM_OTEL_METRICS_ENABLED");

    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet(); // one line a process, however many hubs

    private OldNames() {}

    /** The former name of a variable; {@code null} where it never had another. */
    static @Nullable String of(String variable) {
        return BY_PRESENT.get(variable);
    }

    /** The present names of all variables that had another. */
    static Set<String> present() {
        return BY_PRESENT.keySet();
    }

    /** Says in the log that the variables should be set by their present names: in one line, once. */
    static void tell(Set<String> present) {
        String names = present.stream()
                .filter(TOLD::add)
                .map(variable -> of(variable) + " is an old name of " + variable)
                .collect(Collectors.joining(", "));
        if (!names.isEmpty()) {
            LoggerFactory.getLogger(
                            "dev.rlm.sinks") // not before it is needed: a program sets its log up by what it reads here
                    .warn("{}; where both are set the new name counts", names);
        }
    }
}

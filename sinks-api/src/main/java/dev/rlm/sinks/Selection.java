package dev.rlm.sinks;

import dev.rlm.sinks.lane.Lanes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Which of the providers found are used, by the configuration or by name, and the sinks that they make. */
final class Selection {
    static final String MASTER_SWITCH = "RLM_OBS_ENABLED";

    private final Map<String, Sink> sinks = new LinkedHashMap<>();
    private final List<SinkStatus> others = new ArrayList<>();
    private final List<SinkProvider> providers = new ArrayList<>();

    private Selection() {}

    /**
     * Makes the sinks that are chosen. Where one cannot be configured, those made before it are closed again.
     *
     * @param only the names of the sinks to use, whatever the configuration says; {@code null} to go by that
     * @param taken names that sinks have already
     */
    static Selection make(
            SinkConfig config, @Nullable List<String> only, Set<String> taken, UnaryOperator<String> redaction) {
        Selection selection = new Selection();
        boolean enabled = config.bool(MASTER_SWITCH, true);
        Providers providers = Providers.discover(config);
        selection.providers.addAll(providers.byName().values());
        selection.others.addAll(providers.broken());
        SinkNames names = new SinkNames(config, providers.byName(), only);
        if (only != null) {
            names.checkKnown(only);
        } else if (enabled) {
            names.checkSwitches(providers.broken());
        }
        try {
            names.choices().forEach(choice -> {
                String name = choice.name();
                if (only == null && config.isRecorded() && choice.provider().isDurable()) {
                    selection.leaveOut(name, "it keeps the record, and is sent to again only where it is named");
                } else if (only == null ? enabled && choice.isSwitchedOn() : only.contains(name)) {
                    if (taken.contains(name)) {
                        throw new SinkConfigException("two sinks are named '" + name
                                + "': one that the program adds, and one that is chosen by configuration");
                    }
                    selection.make(choice, redaction);
                } else {
                    String hint =
                            enabled ? choice.variable("ENABLED") + "=true turns it on" : MASTER_SWITCH + " is off";
                    selection.leaveOut(name, hint);
                }
            });
        } catch (RuntimeException e) {
            selection.sinks.forEach((name, sink) -> Lanes.closeUnused(name, sink, redaction));
            throw e;
        }
        return selection;
    }

    /** The sinks made, by name. */
    Map<String, Sink> sinks() {
        return sinks;
    }

    /** All providers that were found. */
    List<SinkProvider> providers() {
        return providers;
    }

    /** The providers that gave no sink: not chosen, or failed. */
    List<SinkStatus> others() {
        return others;
    }

    private void leaveOut(String name, String hint) {
        others.add(new SinkStatus(name, false, true, hint, Ledger.EMPTY));
    }

    @SuppressWarnings("CatchThrowable") // a provider may throw anything, and must not stop the program
    private void make(SinkNames.Choice choice, UnaryOperator<String> redaction) {
        boolean required = choice.isRequired();
        try {
            sinks.put(choice.name(), Objects.requireNonNull(choice.create(), "its provider gave no sink"));
        } catch (SinkConfigException e) {
            throw e;
        } catch (Throwable e) {
            String reason = redaction.apply(ErrorText.reason(e));
            if (required) {
                throw new SinkConfigException(
                        "sink '" + choice.name() + "' is required (" + choice.variable("REQUIRED") + ") but failed: "
                                + reason,
                        e);
            }
            others.add(new SinkStatus(choice.name(), true, false, reason, Ledger.EMPTY));
        }
    }
}

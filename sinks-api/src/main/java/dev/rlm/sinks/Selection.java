package dev.rlm.sinks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which of the providers found are used, by the configuration or by name, and the sinks that they make. */
final class Selection {
    static final String MASTER_SWITCH = "RLM_OBS_ENABLED";

    private static final Pattern SWITCH = Pattern.compile("RLM_([A-Z0-9_]+)_ENABLED");

    private final Map<String, Sink> sinks = new LinkedHashMap<>();
    private final List<SinkStatus> others = new ArrayList<>();

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
        selection.others.addAll(providers.broken());
        checkNames(config, only, providers, enabled);
        try {
            providers.byName().forEach((name, provider) -> {
                SinkConfig own = config.sink(name);
                boolean switchedOn = own.bool("ENABLED", provider.isEnabledByDefault());
                if (only == null && config.isResending() && provider.isDurable()) {
                    selection.leaveOut(name, "it keeps the record, and is sent to again only where it is named");
                } else if (only == null ? enabled && switchedOn : only.contains(name)) {
                    if (taken.contains(name)) {
                        throw new SinkConfigException("two sinks are named '" + name
                                + "': one that the program adds, and one that is chosen by configuration");
                    }
                    selection.make(name, provider, own, redaction);
                } else {
                    String hint = enabled ? own.variable("ENABLED") + "=true turns it on" : MASTER_SWITCH + " is off";
                    selection.leaveOut(name, hint);
                }
            });
        } catch (RuntimeException e) {
            selection.sinks.forEach(
                    (name, sink) -> new GuardedSink(sink, new QuietLog(name, redaction, () -> 0)).close());
            throw e;
        }
        return selection;
    }

    /** The sinks made, by name. */
    Map<String, Sink> sinks() {
        return sinks;
    }

    /** The providers that gave no sink: not chosen, or failed. */
    List<SinkStatus> others() {
        return others;
    }

    private void leaveOut(String name, String hint) {
        others.add(new SinkStatus(name, false, true, hint, Ledger.EMPTY));
    }

    @SuppressWarnings("CatchThrowable") // a provider may throw anything, and must not stop the program
    private void make(String name, SinkProvider provider, SinkConfig config, UnaryOperator<String> redaction) {
        boolean required = config.bool("REQUIRED", false);
        try {
            sinks.put(name, Objects.requireNonNull(provider.create(config), "its provider gave no sink"));
        } catch (SinkConfigException e) {
            throw e;
        } catch (Throwable e) {
            String reason = redaction.apply(ErrorText.reason(e));
            if (required) {
                throw new SinkConfigException(
                        "sink '" + name + "' is required (" + config.variable("REQUIRED") + ") but failed: " + reason,
                        e);
            }
            others.add(new SinkStatus(name, true, false, reason, Ledger.EMPTY));
        }
    }

    private static void checkNames(
            SinkConfig config, @Nullable List<String> only, Providers providers, boolean enabled) {
        String known = String.join(", ", new TreeSet<>(providers.byName().keySet()));
        if (only != null) {
            for (String name : only) {
                if (!providers.byName().containsKey(name)) {
                    throw new SinkConfigException("unknown sink '" + name + "': known are " + known);
                }
            }
        } else if (enabled) {
            TreeSet<String> allowed = new TreeSet<>();
            allowed.add(MASTER_SWITCH);
            providers.byName().forEach((name, provider) -> {
                allowed.add(SinkConfig.prefixOf(name) + "ENABLED");
                provider.variables().forEach(variable -> allowed.add(variable.name()));
            });
            for (String variable : config.variables()) {
                Matcher name = SWITCH.matcher(variable);
                if (name.matches()
                        && !allowed.contains(variable)
                        && config.shared().bool(variable, false)) {
                    throw new SinkConfigException(
                            variable + " names no sink: known are " + known + unloaded(providers));
                }
            }
        }
    }

    private static String unloaded(Providers providers) {
        return providers.broken().isEmpty()
                ? ""
                : "; not loaded: " + providers.broken().get(0).detail();
    }
}

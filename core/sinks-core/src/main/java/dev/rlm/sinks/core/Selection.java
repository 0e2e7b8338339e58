package dev.rlm.sinks.core;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.core.content.ErrorText;
import dev.rlm.sinks.core.lane.Lanes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses among the providers found, by the configuration or by name, and keeps the sinks that they make. */
final class Selection {
    private static final String GAVE_NONE = "its provider gave no sink";

    static final String MASTER_SWITCH = "RLM_OBS_ENABLED";

    private static final Logger LOG = LoggerFactory.getLogger(Selection.class);

    private final UnaryOperator<String> redaction;
    private final Map<String, Sink> sinks = new LinkedHashMap<>();
    private final Map<String, Supplier<Sink>> factories = new HashMap<>();
    private final List<SinkStatus> others = new ArrayList<>();
    private final List<SinkProvider> providers = new ArrayList<>();

    Selection(UnaryOperator<String> redaction) {
        this.redaction = redaction;
    }

    /**
     * Makes the sinks that are chosen. Where one cannot be configured, those made before it are closed again.
     *
     * @param only the names of the sinks to use, whatever the configuration says; {@code null} to go by that
     * @param taken names that sinks have already
     */
    void choose(SinkConfig config, @Nullable List<String> only, Set<String> taken) {
        config.tellOldNames();
        boolean enabled = config.bool(MASTER_SWITCH, true);
        Providers found = Providers.discover(config);
        providers.addAll(found.byName().values());
        SinkNames names = new SinkNames(config, found.byName(), only);
        List<String> unclaimed = only != null
                ? names.unclaimed(only, found.broken())
                : enabled ? names.unclaimed(found.broken()) : List.of();
        if (unclaimed.isEmpty()) {
            others.addAll(found.broken());
        } else {
            unclaimed.forEach(name -> unloaded(config.sink(name), found.broken()));
        }
        try {
            names.choices().forEach(choice -> {
                String name = choice.name();
                if (only == null && config.isRecorded() && choice.provider().isDurable()) {
                    leaveOut(name, "it keeps the record, and is sent to again only where it is named");
                } else if (only == null ? enabled && choice.isSwitchedOn() : only.contains(name)) {
                    if (taken.contains(name)) {
                        throw new SinkConfigException("two sinks are named '" + name
                                + "': one that the program adds, and one that is chosen by configuration");
                    }
                    make(choice);
                } else {
                    String hint =
                            enabled ? choice.variable("ENABLED") + "=true turns it on" : MASTER_SWITCH + " is off";
                    leaveOut(name, hint);
                }
            });
        } catch (RuntimeException e) {
            closeAll();
            throw e;
        }
    }

    private void closeAll() {
        sinks.forEach((name, sink) -> Lanes.closeUnused(name, sink, redaction));
    }

    Map<String, Sink> sinks() {
        return sinks;
    }

    /** The factories that make each of them again. */
    Map<String, Supplier<Sink>> factories() {
        return factories;
    }

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

    private void make(SinkNames.Choice choice) {
        make(choice.name(), choice::create, choice.isRequired() ? choice.variable("REQUIRED") : null);
    }

    /** Notes a sink that is chosen and whose provider is one of those that could not be loaded, by its name. */
    private void unloaded(SinkConfig config, List<SinkStatus> broken) {
        String reasons = broken.stream().map(SinkStatus::detail).collect(Collectors.joining("; "));
        String requiredBy = config.bool("REQUIRED", false) ? config.variable("REQUIRED") : null;
        unavailable(config.name(), redaction.apply("its provider cannot be loaded: " + reasons), requiredBy);
    }

    private void unavailable(String name, String reason, @Nullable String requiredBy) {
        if (requiredBy != null) {
            throw new SinkConfigException("sink '" + name + "' is required (" + requiredBy + ") but failed: " + reason);
        }
        others.add(new SinkStatus(name, true, false, reason, Ledger.EMPTY));
        LOG.warn("sink {} is not available: {}", name, reason);
    }

    /** Makes a sink that the program adds. Where one cannot be configured, those made before it are closed again. */
    void make(String name, Supplier<Sink> factory) {
        try {
            make(name, factory, null);
        } catch (RuntimeException e) {
            closeAll();
            throw e;
        }
    }

    @SuppressWarnings("CatchThrowable") // a provider may throw anything, and must not stop the program
    private void make(String name, Supplier<Sink> factory, @Nullable String requiredBy) {
        try {
            Sink sink = BoundedCreation.make(
                    "rlm-sink-making-" + name,
                    factory,
                    GAVE_NONE,
                    unwanted -> Lanes.closeUnused(name, unwanted, redaction));
            sinks.put(name, Objects.requireNonNull(sink, GAVE_NONE));
            factories.put(name, factory);
        } catch (SinkConfigException e) {
            throw e;
        } catch (Throwable e) {
            unavailable(name, redaction.apply(ErrorText.reason(e)), requiredBy);
        }
    }
}

package dev.rlm.sinks.core;

import dev.rlm.sinks.Redactor;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfig.Purpose;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Collects what a hub is made of. */
final class HubBuilder implements Sinks.Builder {
    private static final Duration HEARTBEAT = Duration.ofSeconds(30);

    final Map<String, Sink> sinks = new LinkedHashMap<>();
    final Map<String, Supplier<Sink>> factories = new LinkedHashMap<>();
    final List<String> secrets = new ArrayList<>();
    final List<Redactor> redactors = new ArrayList<>();

    @Nullable
    SinkConfig config;

    @Nullable
    List<String> only;

    boolean redact = true;
    boolean shutdownHook;
    boolean resending;
    private boolean measuring;
    boolean importing;
    private boolean recovering;
    private @Nullable Duration heartbeat;
    InstantSource clock = InstantSource.system();
    LongSupplier nanoTime = System::nanoTime;

    @Override
    public HubBuilder config(SinkConfig value) {
        config = value;
        return this;
    }

    @Override
    public HubBuilder only(List<String> names) {
        only = List.copyOf(names);
        return this;
    }

    @Override
    public HubBuilder add(String name, Sink sink) {
        checkFree(name);
        sinks.put(name, sink);
        return this;
    }

    @Override
    public HubBuilder add(String name, Supplier<Sink> factory) {
        checkFree(name);
        factories.put(name, factory);
        return this;
    }

    private void checkFree(String name) {
        if (names().contains(name)) {
            throw new IllegalArgumentException("there is a sink named '" + name + "' already");
        }
    }

    Set<String> names() {
        Set<String> names = new HashSet<>(sinks.keySet());
        names.addAll(factories.keySet());
        return names;
    }

    @Override
    public HubBuilder secret(String value) {
        secrets.add(value);
        return this;
    }

    @Override
    public HubBuilder redactor(Redactor redactor) {
        redactors.add(redactor);
        return this;
    }

    @Override
    public HubBuilder withoutRedaction() {
        redact = false;
        return this;
    }

    @Override
    public HubBuilder heartbeat(Duration interval) {
        if (interval.isNegative()) {
            throw new IllegalArgumentException("the heartbeat's interval must not be negative, was " + interval);
        }
        heartbeat = interval;
        return this;
    }

    Duration heartbeat() {
        if (heartbeat != null || config == null) {
            return heartbeat == null ? HEARTBEAT : heartbeat;
        }
        return config.shared().duration("RLM_HEARTBEAT", HEARTBEAT);
    }

    @Override
    public HubBuilder closeAtShutdown() {
        shutdownHook = true;
        return this;
    }

    @Override
    public HubBuilder resending() {
        resending = true;
        return this;
    }

    @Override
    public HubBuilder resendingAndMeasuring() {
        measuring = true;
        return resending();
    }

    @Override
    public HubBuilder recovering() {
        recovering = true;
        return resending();
    }

    @Override
    public HubBuilder importing() {
        importing = true;
        return resending();
    }

    /** The rollout that all runs of the process are attempts at, where it is one's alone. */
    @Nullable
    String rollout() {
        return config == null ? null : config.shared().string("EP_ROLLOUT_ID").orElse(null);
    }

    SinkConfig purposeful(SinkConfig value) {
        if (importing || recovering) {
            return value.with(importing ? Purpose.IMPORTING : Purpose.RECOVERING);
        } else if (resending) {
            return value.with(measuring ? Purpose.RESENDING_AND_MEASURING : Purpose.RESENDING);
        }
        return value;
    }

    @Override
    public HubBuilder clocks(InstantSource wallClock, LongSupplier nanoseconds) {
        clock = wallClock;
        nanoTime = nanoseconds;
        return this;
    }

    @Override
    public Sinks build() {
        return new Hub(this);
    }
}

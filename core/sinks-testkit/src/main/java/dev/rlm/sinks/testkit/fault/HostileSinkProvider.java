package dev.rlm.sinks.testkit.fault;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Makes the sink {@code hostile}, with the fault {@code RLM_HOSTILE_FAULT} in the callbacks {@code RLM_HOSTILE_IN},
 * such as {@code hang} in {@code on_event,close}. A call that hangs does so until the process ends.
 *
 * <p>A program finds it only on request: a jar in the folder {@code RLM_PLUGINS} of the program under test holds this
 * class's name in {@code META-INF/services/dev.rlm.sinks.SinkProvider}, and this package if the program lacks it.
 */
public final class HostileSinkProvider implements SinkProvider {
    private static final Duration SLOW = Duration.ofMillis(1);

    @Override
    public String name() {
        return "hostile";
    }

    @Override
    public String description() {
        return "misbehaves, for tests";
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable("RLM_HOSTILE_FAULT", Kind.THROW.label(), String.join(", ", Kind.labels())),
                new Variable("RLM_HOSTILE_IN", Callback.ON_EVENT.label(), String.join(", ", Callback.labels())),
                new Variable("RLM_HOSTILE_TIMES", "", "how often, in each sink made; always unless set"),
                new Variable("RLM_HOSTILE_PATIENCE", "60s", "how long a call may take before it counts as hung"));
    }

    @Override
    public Sink create(SinkConfig config) {
        Fault fault = fault(config);
        HostileSink sink = HostileSink.with(() -> {}).patience(config.duration("PATIENCE", Duration.ofSeconds(60)));
        for (String label : config.string("IN", Callback.ON_EVENT.label()).split(",", -1)) {
            Callback callback = callback(config, label.strip());
            if (callback == Callback.CREATE) {
                HostileSink.strike(fault);
            }
            sink.and(fault, callback);
        }
        return sink;
    }

    private static Fault fault(SinkConfig config) {
        String label = config.choice("FAULT", Kind.THROW.label(), Kind.labels());
        Fault fault = Kind.valueOf(label.toUpperCase(Locale.ROOT)).fault;
        int times = config.integer("TIMES", 0, 0, Integer.MAX_VALUE);
        return times == 0 ? fault : fault.times(times);
    }

    private static Callback callback(SinkConfig config, String label) {
        Optional<Callback> known = Arrays.stream(Callback.values())
                .filter(callback -> callback.label().equals(label))
                .findFirst();
        return known.orElseThrow(() -> config.invalid("IN", "some of " + String.join(", ", Callback.labels())));
    }

    private enum Kind {
        THROW(Fault.throwing(() -> new IllegalStateException("hostile"))),
        UNSPEAKABLE(Fault.unspeakable()),
        OUT_OF_MEMORY(Fault.outOfMemory()),
        STACK_OVERFLOW(Fault.stackOverflow()),
        MISSING_CLASS(Fault.missingClass()),
        HANG(Fault.hanging(new Gate())),
        SLOW(Fault.slow(HostileSinkProvider.SLOW)),
        LEAK_THREADS(Fault.leakingThreads(new Gate()));

        @SuppressWarnings("ImmutableEnumChecker") // functions, and a gate that is never opened
        private final Fault fault;

        Kind(Fault fault) {
            this.fault = fault;
        }

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        static List<String> labels() {
            return Arrays.stream(values()).map(Kind::label).toList();
        }
    }
}

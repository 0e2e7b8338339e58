package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.TraceContext;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The runs of agents that a framework calls, for those who listen to it. The outermost call of an agent is a run, unless one is
 * {@linkplain Activity#current current}: then its turns are steps of that. In a step it is a span. Safe for use by several threads; beginning a
 * call throws nothing.
 */
public final class AgentRuns {
    /** Variable that says which share of calls is recorded in {@link #fromEnvironment}. */
    public static final String SHARE = "RLM_AGENT_SHARE";

    /** Stands for a call that is not recorded, so that no call within it is. */
    private static final Activity LEFT_OUT = new Activity() {};

    private static @Nullable AgentRuns ofProcess; // guarded by the class

    private final Sinks sinks;
    private final double share;
    private final Supplier<TraceContext> parent;

    private AgentRuns(Sinks sinks, double share, Supplier<TraceContext> parent) {
        this.sinks = sinks;
        this.share = share;
        this.parent = parent;
    }

    /** Returns those that are recorded in a hub, all of them. */
    public static AgentRuns in(Sinks sinks) {
        return new AgentRuns(Objects.requireNonNull(sinks, "sinks"), 1, () -> TraceContext.NONE);
    }

    /**
     * Returns those of this process, in a hub that environment variables and system properties choose and that is made when this is first
     * asked for.
     *
     * @throws SinkConfigException if what they say is not valid
     */
    public static synchronized AgentRuns fromEnvironment() {
        AgentRuns known = ofProcess;
        if (known == null) {
            SinkConfig config = SinkConfig.system();
            double share = share(config.shared());
            known = in(Sinks.fromEnvironment()).share(share);
            ofProcess = known;
        }
        return known;
    }

    private static double share(SinkConfig config) {
        try {
            double share = Double.parseDouble(config.string(SHARE, "1"));
            if (isShare(share)) {
                return share;
            }
        } catch (NumberFormatException e) {
            // as any other value that is none
        }
        throw config.invalid(SHARE, "a number from 0 to 1");
    }

    private static boolean isShare(double value) {
        return value >= 0 && value <= 1;
    }

    /**
     * Returns the same, of which a share is recorded, chosen call by call; what a call that is left out calls is left out too.
     *
     * @param value from 0 to 1
     * @throws IllegalArgumentException if it is none
     */
    public AgentRuns share(double value) {
        if (!isShare(value)) {
            throw new IllegalArgumentException("the share must be from 0 to 1, was " + value);
        }
        return new AgentRuns(sinks, value, parent);
    }

    /** Returns the same, whose runs join the trace that is current where they begin. */
    public AgentRuns parent(Supplier<TraceContext> current) {
        return new AgentRuns(sinks, share, Objects.requireNonNull(current, "current"));
    }

    /**
     * Begins a call of an agent.
     *
     * @param agent its name, which is the environment of a run unless {@code more} says so
     * @param task what it is asked
     * @param more completes the run, where it is one
     */
    public AgentCall start(String agent, String task, Consumer<RunSpec.Builder> more) {
        Activity current = Activity.current();
        if (current == LEFT_OUT || current.isRecording()) { // the first is a call of an agent, which is not recorded
            return in(current, agent);
        } else if (share < 1 && ThreadLocalRandom.current().nextDouble() >= share) {
            return new AgentCall(LEFT_OUT, Run.NOOP);
        }
        RunSpec.Builder spec = RunSpec.builder(agent).agent(agent, null).task(task);
        Guard.run("its parent", () -> spec.parent(parent.get()));
        Guard.run("all that its run has", () -> more.accept(spec));
        Run run = sinks.startRun(spec.build());
        return new AgentCall(run, run);
    }

    /** Begins a call of an agent in what goes on: in a step it is a span. */
    static AgentCall in(Activity outer, String agent) {
        return new AgentCall(
                outer instanceof Step step ? step.span(agent) : outer instanceof Span span ? span.span(agent) : outer,
                null);
    }

    /** Makes what is not recorded current, too. */
    static Scope open(Activity activity) {
        return activity == LEFT_OUT ? Scope.open(activity, Scope.NONE) : activity.makeCurrent();
    }
}

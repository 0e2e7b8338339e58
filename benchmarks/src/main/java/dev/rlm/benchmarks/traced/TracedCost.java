package dev.rlm.benchmarks.traced;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.traced.AgentCall;
import dev.rlm.sinks.traced.AgentRuns;
import dev.rlm.sinks.traced.Traced;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of a wrapped call to the agent's thread beside the call itself, with nothing current and in a step; of making a
 * step current; and of a turn that is recorded for a framework, beside one that is recorded by hand. Calls are made a
 * thousand at a time, and between these, unmeasured, the lane comes to rest.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TracedCost {
    private static final int CALLS = 1_000;
    private static final int TURNS = 200;
    private static final List<String> TOOLS = List.of("search");
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Search plain = text -> text;
    private final Function<String, String> function = Traced.tool("search", plain::find);
    private final Search standin = Traced.tool("search", Search.class, plain);
    private final Sinks sinks = Sinks.builder().add("nowhere", new Sink() {}).build();
    private final Run run = sinks.startRun(RunSpec.builder("benchmark").build());
    private final Step step = run.startStep();
    private final AgentRuns runs = AgentRuns.in(sinks);

    @Setup(Level.Invocation)
    public void settle() {
        sinks.flush(LONG);
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public int notWrapped() {
        return calls(plain);
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public int functionWithNothingCurrent() {
        return calls(function::apply);
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public int interfaceWithNothingCurrent() {
        return calls(standin);
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public int functionInAStep() {
        try (dev.rlm.sinks.Scope scope = step.makeCurrent()) {
            return calls(function::apply);
        }
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public int interfaceInAStep() {
        try (dev.rlm.sinks.Scope scope = step.makeCurrent()) {
            return calls(standin);
        }
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public int makingAStepCurrent() {
        int sum = 0;
        for (int i = 0; i < CALLS; i++) {
            try (dev.rlm.sinks.Scope scope = step.makeCurrent()) {
                sum += scope.hashCode() & 1;
            }
        }
        return sum;
    }

    /** A turn of an agent, with a call of its model and one of a tool: recorded by hand. */
    @Benchmark
    @OperationsPerInvocation(TURNS)
    public void turnsByHand() {
        for (int i = 0; i < TURNS; i++) {
            try (Step turn = run.startStep("what?")) {
                ask(turn.startModelCall("openai", "large"));
                turn.action("search", "search(what?)");
                use(turn.startToolCall("search"));
                turn.complete("that");
            }
        }
    }

    /** The same, recorded as a listener of a framework does. */
    @Benchmark
    @OperationsPerInvocation(TURNS)
    public void turnsOfAnAgentCall() {
        try (dev.rlm.sinks.Scope scope = run.makeCurrent()) {
            AgentCall call = runs.start("agent", "what?", spec -> {});
            for (int i = 0; i < TURNS; i++) {
                ask(call.startModelCall("openai", "large", "what?"));
                call.said("search(what?)", TOOLS);
                use(call.startToolCall("search"));
            }
            call.complete("that");
        }
    }

    private static void ask(ModelCall call) {
        call.message("user", "what?").reply("search(what?)").toolRequest("1", "search", "what?");
        call.close();
    }

    private static void use(ToolCall call) {
        call.arguments("what?").result("that");
        call.close();
    }

    private static int calls(Search search) {
        int sum = 0;
        for (int i = 0; i < CALLS; i++) {
            sum += search.find("what?").length();
        }
        return sum;
    }

    @TearDown
    public void close() {
        sinks.close();
    }

    /** A tool as agents have them. */
    public interface Search {
        String find(String query);
    }
}

package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.event.Usage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A run whose events are filled with {@link HostileValues}: each field that may be absent or at its least sometimes is. */
final class HostileRun {
    private static final List<Outcome> OUTCOMES = List.of(Outcome.values());

    private final HostileValues any;
    private final RunInfo run;
    private final Deque<StepStarted> open = new ArrayDeque<>();
    private final List<RunEvent> events = new ArrayList<>();

    private HostileRun(long seed, boolean asRead) {
        any = new HostileValues(seed, asRead);
        run = info(seed);
    }

    /**
     * The run of that seed.
     *
     * @param asRead as a journal gives it back, where that differs: in names that are no well-formed text, and in
     *     parameters that are no numbers
     */
    static List<RunEvent> events(long seed, int count, boolean asRead) {
        return new HostileRun(seed, asRead).events(count);
    }

    /** Likewise numbers that belong to no run. */
    static MetricsReported metrics(long seed, boolean asRead) {
        HostileValues any = new HostileValues(seed, asRead);
        Map<String, Double> values = any.numbers();
        values.put("step" + seed, any.number());
        return new MetricsReported(any.time(), any.nameThatIsNotBlank(), "step" + seed, values);
    }

    private List<RunEvent> events(int count) {
        events.add(new RunStarted(run, 1));
        while (events.size() < count - 1) {
            events.add(next());
        }
        events.add(end());
        return events;
    }

    private RunInfo info(long seed) {
        TraceContext parent = new TraceContext(
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "vendor=state", "key=value");
        return new RunInfo(
                seed + any.name(),
                any.time(),
                any.content(),
                any.nameThatIsNotBlank(),
                any.name(),
                any.integer() & Integer.MAX_VALUE,
                any.maybe(any::whole),
                any.values(),
                any.texts(),
                any.chance(2) ? Correlation.NONE : correlation(),
                any.chance(2) ? null : parent);
    }

    private Correlation correlation() {
        return new Correlation(
                any.maybe(any::name),
                any.maybe(any::name),
                any.maybe(any::name),
                any.maybe(any::name),
                any.maybe(any::name),
                any.maybe(any::name),
                any.maybe(any::integer),
                any.maybe(any::integer),
                any.maybe(any::integer),
                any.maybe(any::whole),
                any.maybe(any::name),
                any.maybe(any::name),
                any.maybe(any::name),
                any.maybe(any::name),
                any.maybe(any::name));
    }

    private long seq() {
        return events.size() + 1L;
    }

    private long nanos() {
        return any.chance(50) ? any.whole() >> 2 : any.notNegative() >> 20;
    }

    private int step() {
        return any.chance(3) ? RunEvent.NO_STEP : 1 + any.below(1_000);
    }

    private RunEvent next() {
        return switch (any.below(10)) {
            case 0, 1 -> stepStarted();
            case 2, 3 -> open.isEmpty() ? stepStarted() : stepEnded(open.pop());
            case 4 -> modelCalled();
            case 5 -> toolCalled();
            case 6 -> rewardGiven();
            case 7 -> spanRecorded();
            case 8 ->
                new ArtifactSaved(
                        run,
                        seq(),
                        nanos(),
                        step(),
                        any.nameThatIsNotBlank(),
                        any.name(),
                        any.notNegative(),
                        any.name(),
                        any.name());
            default -> new Heartbeat(run, seq(), nanos(), any.below(1_000), any.number());
        };
    }

    private StepStarted stepStarted() {
        StepStarted step = new StepStarted(run, seq(), nanos(), 1 + any.below(1_000), any.below(3), any.content());
        open.push(step);
        return step;
    }

    private StepEnded stepEnded(StepStarted step) {
        return new StepEnded(
                step,
                seq(),
                nanos(),
                any.name(),
                any.content(),
                any.content(),
                any.chance(2),
                any.maybe(any::content),
                any.maybe(any::name),
                any.number(),
                any.number(),
                any.maybe(any::name),
                any.maybe(any::name),
                any.texts());
    }

    private ModelCalled modelCalled() {
        TokenTrace tokens =
                new TokenTrace(List.of(any.integer()), list(any::integer), list(any::number), any.maybe(any::name));
        return new ModelCalled(
                run,
                seq(),
                nanos(),
                step(),
                nanos(),
                any.below(3),
                any.maybe(any::whole),
                any.name(),
                any.name(),
                any.values(),
                list(this::message),
                any.maybe(this::message),
                new Usage(any.maybe(any::whole), any.maybe(any::whole), any.maybe(any::whole), any.maybe(any::whole)),
                any.chance(2) ? null : tokens,
                any.maybe(any::name),
                any.below(3),
                any.maybe(any::content));
    }

    private Message message() {
        return new Message(
                any.nameThatIsNotBlank(),
                any.content(),
                list(() -> new Message.ToolRequest(any.name(), any.name(), any.content())),
                any.maybe(any::name));
    }

    private <T> List<T> list(Supplier<T> element) {
        List<T> list = new ArrayList<>();
        for (int i = any.below(3); i > 0; i--) {
            list.add(element.get());
        }
        return list;
    }

    private ToolCalled toolCalled() {
        return new ToolCalled(
                run,
                seq(),
                nanos(),
                step(),
                nanos(),
                any.below(3),
                any.nameThatIsNotBlank(),
                any.name(),
                any.maybe(any::name),
                any.content(),
                any.content(),
                any.integer(),
                any.below(3),
                any.maybe(any::content),
                any.values());
    }

    private RewardGiven rewardGiven() {
        return new RewardGiven(
                run,
                seq(),
                nanos(),
                step(),
                any.nameThatIsNotBlank(),
                any.number(),
                any.chance(5) ? any.name() : null,
                list(() -> new RewardComponent(
                        any.nameThatIsNotBlank(), any.number(), any.number(), any.maybe(any::name))),
                nanos());
    }

    private SpanRecorded spanRecorded() {
        return new SpanRecorded(
                run,
                seq(),
                nanos(),
                step(),
                nanos(),
                any.nameThatIsNotBlank(),
                any.below(3),
                any.values(),
                any.maybe(any::content));
    }

    private RunEnded end() {
        return new RunEnded(
                run,
                seq(),
                nanos(),
                OUTCOMES.get(any.below(OUTCOMES.size())),
                new RunStatus(any.integer(), any.name(), any.texts()),
                any.chance(2),
                any.maybe(any::name),
                any.maybe(any::name),
                any.chance(2),
                any.below(1_000),
                any.number(),
                any.below(3),
                any.maybe(any::content),
                any.numbers(),
                any.maybe(any::name),
                any.maybe(any::content));
    }
}

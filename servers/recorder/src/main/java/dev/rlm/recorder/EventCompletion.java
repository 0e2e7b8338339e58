package dev.rlm.recorder;

import dev.rlm.journal.EventFields;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.schema.LateEvents;
import dev.rlm.sinks.schema.RunAssembler;
import dev.rlm.sinks.schema.RunAssembler.OpenStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Events that a line comes to: its own, with all that the line left out filled in, and before it those that it implies.
 * {@code docs/record.md} tells what is filled in.
 */
final class EventCompletion {
    private static final String ENVIRONMENT = "environment";

    private final RunInfo run;
    private final RunClock clock;
    private final ClientRunState state;
    private final RunAssembler known;
    private final Line line;
    private final long nanos;
    private final List<RunEvent> events = new ArrayList<>();

    private EventCompletion(RunInfo run, RunClock clock, ClientRunState state, Line line) {
        this.run = run;
        this.clock = clock;
        this.state = state;
        this.known = state.run();
        this.line = line;
        this.nanos = clock.nanos(line, known.lastNanos());
    }

    /** The events, which the state, a copy, has then seen. */
    static List<RunEvent> of(RunInfo run, RunClock clock, ClientRunState state, Line line, RunEnding ending) {
        EventCompletion completion = new EventCompletion(run, clock, state, line);
        line.putKnown("environment", run.environment());
        line.putKnown("model", run.model());
        completion.make(ending);
        return completion.events;
    }

    private void make(RunEnding ending) {
        switch (line.type()) {
            case STEP_STARTED -> stepStarted();
            case MODEL_CALLED, TOOL_CALLED -> call();
            case REWARD_GIVEN -> reward();
            case STEP_ENDED -> stepEnded();
            case SPAN_RECORDED -> {
                timed();
                inStep(stepOf(false));
            }
            case ARTIFACT_SAVED -> artifact();
            case HEARTBEAT -> {
                totals();
                event();
            }
            case RUN_ENDED -> runEnded(ending);
            default -> throw new LineRefusedException(line.type().label() + " is no event of a run that goes on");
        }
    }

    /** Fills in when it began: at its end, unless the line says. */
    private void timed() {
        line.put("start_nanos", clock.startNanos(line, nanos, nanos));
    }

    /** Adds the line's own event. */
    private RunEvent event() {
        line.put("seq", state.seqOf(line));
        line.put("nanos", nanos);
        return add(EventFields.event(run, line.fields()));
    }

    private <E extends RunEvent> E add(E event) {
        events.add(event);
        return known.add(event);
    }

    private void inStep(int step) {
        line.put("step", step);
        event();
    }

    /**
     * Returns the step that the line lies in: the one it says, else the open one. A number that is new begins a step.
     *
     * @param begins whether the line begins a step if no step is open, in a run that does not say where its steps start
     */
    private int stepOf(boolean begins) {
        Integer step = saidOrOpen();
        if (step == null) {
            return begins && !state.startsAreSaid() ? begin(known.nextStep(), impliedStart()) : RunEvent.NO_STEP;
        }
        return step != RunEvent.NO_STEP && state.isNew(step) ? begin(step, impliedStart()) : step;
    }

    private @Nullable Integer saidOrOpen() {
        Integer said = line.get("step", Integer.class);
        List<Integer> open = known.open().stream().map(OpenStep::step).toList();
        if (said == null && open.size() > 1) {
            String numbers =
                    String.join(", ", open.stream().map(String::valueOf).toList());
            throw new LineRefusedException(
                    "several steps are open (" + numbers + "): " + line.type().label() + " must say its step");
        }
        return said != null || open.isEmpty() ? said : open.get(0);
    }

    /** Returns the start of a step that has not said it: the end of the step before, but not after the line's own time. */
    private long impliedStart() {
        Long start = line.get("start_nanos", Long.class);
        return Math.min(known.stepsUntil(), start == null ? nanos : start);
    }

    private int begin(int step, long startNanos) {
        state.checkNew(step);
        add(new StepStarted(run, known.nextSeq(), startNanos, step, RunEvent.NO_STEP, Content.EMPTY));
        state.start(step, true);
        return step;
    }

    private void stepStarted() {
        Integer said = line.get("step", Integer.class);
        int step = said == null ? known.nextStep() : said;
        state.checkNew(step);
        Integer parent = line.get("parent_step", Integer.class);
        if (parent != null && parent != RunEvent.NO_STEP && known.open(parent) == null) {
            throw new LineRefusedException("parent_step " + parent + " is not open");
        }
        for (OpenStep each : known.open()) {
            if (state.isImplied(each) && !Integer.valueOf(each.step()).equals(parent)) {
                add(known.end(each, nanos, null).build()); // it was made for calls that no line said to lie in a step
            }
        }
        line.put("step", step);
        event();
        state.start(step, false);
    }

    private void call() {
        timed();
        if (line.type() == EventType.MODEL_CALLED) {
            if (run.model().isEmpty() && !line.has("request_model")) {
                throw new LineRefusedException("model_called needs request_model: its run names no model");
            }
            line.putIfAbsent("request_model", run.model());
        } else {
            line.putIfAbsent("status_code", line.has("error") ? RunStatus.INTERNAL : RunStatus.OK);
        }
        inStep(stepOf(true));
    }

    private void reward() {
        Double value = line.get("value", Double.class);
        if (value == null && !line.has("absence")) {
            throw new LineRefusedException("reward_given needs value, or absence to say why there is none");
        } else if (value != null && !value.isNaN() && line.has("absence")) {
            throw new LineRefusedException("reward_given has a value and an absence: it is one or the other");
        }
        timed();
        String scope = line.get("scope", String.class);
        if ("run".equals(scope)) {
            line.putKnown("step", RunEvent.NO_STEP);
        }
        int step = stepOf(false);
        if ("step".equals(scope) && step == RunEvent.NO_STEP) {
            throw new LineRefusedException("scope is step, and no step is open: say its step");
        }
        line.put("step", step);
        if (state.isElsewhere()) {
            String source = line.get("source", String.class);
            double told = value == null ? Double.NaN : value;
            line.putIfAbsent("seq", LateEvents.seq(step, source == null ? ENVIRONMENT : source, told));
        }
        event();
    }

    private void stepEnded() {
        OpenStep step = endedStep();
        StepStarted started = step.started();
        if (nanos < started.nanos()) {
            throw new LineRefusedException("the step would end before its start");
        }
        line.putKnown("start_seq", started.seq());
        line.putKnown("parent_step", started.parentStep());
        line.put("start_nanos", started.nanos());
        line.put("step", started.step());
        line.putIfAbsent("success", !line.has("error"));
        rewardOfEnd(step);
        line.putKnown("reward", Objects.requireNonNull(known.open(step.step())).reward());
        line.putKnown("cumulative_reward", known.rewards().sum());
        line.put("seq", state.seqOf(line));
        line.put("nanos", nanos);
        add(EventFields.stepEnded(started, line.fields()));
    }

    private OpenStep endedStep() {
        Integer told = saidOrOpen();
        int step = told == null ? known.nextStep() : told;
        if (known.open(step) == null) {
            begin(step, clock.startNanos(line, Math.min(known.stepsUntil(), nanos), nanos));
        }
        return Objects.requireNonNull(known.open(step));
    }

    /**
     * Gives the reward of a step's end. Where rewards of the step had lines of their own, it only tells their sum; and
     * so it does where the line has a number, since then the reward would have had one.
     */
    private void rewardOfEnd(OpenStep step) {
        Double value = line.get("reward", Double.class);
        if (value != null && !step.isRewarded() && !line.has("seq")) {
            add(RewardGivenBuilder.builder()
                    .run(run)
                    .seq(known.nextSeq())
                    .nanos(nanos)
                    .step(step.step())
                    .source(ENVIRONMENT)
                    .value(value)
                    .startNanos(nanos)
                    .build());
            line.fields().remove("reward"); // which is now told as the step's: NaN where it is infinite
        }
    }

    /** A file whose bytes the line has, or one that others keep. What the line says of bytes that it has must be so. */
    private void artifact() {
        FileContent content = (FileContent) line.fields().get("content");
        if (content == null && !line.has("absence") && !(line.has("size") && line.has("sha256") && line.has("path"))) {
            throw new LineRefusedException(
                    "artifact_saved needs content, or size, sha256 and path of a file that is kept"
                            + " elsewhere, or absence to say why there is none");
        } else if (content != null) {
            line.putKnown("size", (long) content.weight());
            line.putKnown("sha256", content.sha256());
        }
        line.putIfAbsent("size", 0L);
        line.putIfAbsent("sha256", "");
        line.putIfAbsent("path", "");
        inStep(stepOf(false));
    }

    private void totals() {
        line.putKnown("steps", known.steps());
        line.putKnown("total_reward", known.rewards().sum());
    }

    private void runEnded(RunEnding ending) {
        if (nanos < known.lastNanos()) {
            throw new LineRefusedException("the run would end before its last event");
        }
        boolean completed = ending.fill(line, run, known) == Outcome.COMPLETED;
        events.addAll(known.endOpen(nanos, step -> completed && state.isImplied(step)));
        totals();
        line.putKnown("absent_rewards", known.rewards().absent());
        line.putKnown("rewards", known.rewards().given());
        event();
    }
}

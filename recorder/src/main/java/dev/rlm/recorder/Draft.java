package dev.rlm.recorder;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.jsonl.EventFields;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a line comes to: its event, with all that the line left out filled in, and before it the events that it implies.
 * {@code docs/record.md} tells what is filled in.
 */
final class Draft {
    private static final String ENVIRONMENT = "environment";

    private final RunInfo run;
    private final RunState state;
    private final Line line;
    private final long nanos;
    private final List<RunEvent> events = new ArrayList<>();

    private Draft(RunInfo run, RunState state, Line line, long nanos) {
        this.run = run;
        this.state = state;
        this.line = line;
        this.nanos = nanos;
    }

    /** The events, which the state, a copy, has then seen. */
    static List<RunEvent> of(RunInfo run, RunClock clock, RunState state, Line line, RunEnding ending) {
        Draft draft = new Draft(run, state, line, clock.nanos(line, state.lastNanos()));
        line.putKnown("environment", run.environment());
        line.putKnown("model", run.model());
        draft.make(clock, ending);
        return draft.events;
    }

    private void make(RunClock clock, RunEnding ending) {
        switch (line.type()) {
            case STEP_STARTED -> stepStarted();
            case MODEL_CALLED, TOOL_CALLED -> call(clock);
            case REWARD_GIVEN -> reward(clock);
            case STEP_ENDED -> stepEnded(clock);
            case SPAN_RECORDED -> {
                line.put("start_nanos", clock.startNanos(line, nanos, nanos));
                inStep(stepOf(false));
            }
            case ARTIFACT_SAVED -> artifact();
            case HEARTBEAT -> heartbeat();
            case RUN_ENDED -> runEnded(ending);
            default -> throw new RefusedException(line.type().label() + " is no event of a run that goes on");
        }
    }

    /** Adds the line's own event. */
    private RunEvent event() {
        line.put("seq", state.seqOf(line));
        line.put("nanos", nanos);
        return add(EventFields.event(run, line.fields()));
    }

    private <E extends RunEvent> E add(E event) {
        events.add(event);
        state.saw(event);
        return event;
    }

    private void inStep(int step) {
        line.put("step", step);
        event();
    }

    /**
     * The step that the line lies in: the one it says, else the open one. A number that is new begins a step.
     *
     * @param begins whether the line begins one where none is open, in a run that does not say where its steps start
     */
    private int stepOf(boolean begins) {
        Integer said = line.count("step");
        if (said != null) {
            return said != RunEvent.NO_STEP && state.isNew(said) ? begin(said, impliedStart()) : said;
        }
        List<Integer> open = state.openNumbers();
        if (open.size() > 1) {
            throw severalOpen(open);
        } else if (open.size() == 1) {
            return open.get(0);
        }
        return begins && !state.startsAreSaid() ? begin(state.nextStep(), impliedStart()) : RunEvent.NO_STEP;
    }

    private RefusedException severalOpen(List<Integer> open) {
        String numbers = String.join(", ", open.stream().map(String::valueOf).toList());
        return new RefusedException(
                "several steps are open (" + numbers + "): " + line.type().label() + " must say its step");
    }

    /** A step whose start nobody has said began when the one before it ended. */
    private long impliedStart() {
        Long start = line.whole("start_nanos");
        return Math.min(state.lastStepEnd(), start == null ? nanos : start);
    }

    private int begin(int step, long startNanos) {
        state.checkNew(step);
        state.start(
                add(new StepStarted(run, state.nextSeq(), startNanos, step, RunEvent.NO_STEP, Content.EMPTY)), true);
        return step;
    }

    private void stepStarted() {
        Integer said = line.count("step");
        int step = said == null ? state.nextStep() : said;
        state.checkNew(step);
        Integer parent = line.count("parent_step");
        if (parent != null && parent != RunEvent.NO_STEP && !state.isOpen(parent)) {
            throw new RefusedException("parent_step " + parent + " is not open");
        }
        for (RunState.OpenStep each : state.open()) {
            if (each.implied() && !Integer.valueOf(each.started().step()).equals(parent)) {
                close(each, null); // it was made for calls that no line said to lie in a step
            }
        }
        line.put("step", step);
        state.start((StepStarted) event(), false);
    }

    private void call(RunClock clock) {
        line.put("start_nanos", clock.startNanos(line, nanos, nanos));
        if (line.type() == EventType.MODEL_CALLED) {
            if (run.model().isEmpty() && !line.has("request_model")) {
                throw new RefusedException("model_called needs request_model: its run names no model");
            }
            line.putIfAbsent("request_model", run.model());
        } else {
            line.putIfAbsent("status_code", line.has("error") ? RunStatus.INTERNAL : RunStatus.OK);
        }
        inStep(stepOf(true));
    }

    private void reward(RunClock clock) {
        Double value = line.number("value");
        if (value == null && !line.has("absence")) {
            throw new RefusedException("reward_given needs value, or absence to say why there is none");
        } else if (value != null && !value.isNaN() && line.has("absence")) {
            throw new RefusedException("reward_given has a value and an absence: it is one or the other");
        }
        line.put("start_nanos", clock.startNanos(line, nanos, nanos));
        String scope = line.text("scope");
        if ("run".equals(scope)) {
            line.putKnown("step", RunEvent.NO_STEP);
        }
        int step = stepOf(false);
        if ("step".equals(scope) && step == RunEvent.NO_STEP) {
            throw new RefusedException("scope is step, and no step is open: say its step");
        }
        line.put("step", step);
        RewardGiven given = (RewardGiven) event();
        state.reward(step, given.value());
    }

    private void stepEnded(RunClock clock) {
        RunState.OpenStep step = endedStep(clock);
        StepStarted started = step.started();
        if (nanos < started.nanos()) {
            throw new RefusedException("the step would end before its start");
        }
        line.putKnown("start_seq", started.seq());
        line.putKnown("parent_step", started.parentStep());
        line.put("start_nanos", started.nanos());
        line.put("step", started.step());
        line.putIfAbsent("success", !line.has("error"));
        rewardOfEnd(started.step());
        line.putKnown("reward", state.get(started.step()).rewards().ofStep());
        line.putKnown("cumulative_reward", state.rewards().sum());
        line.put("seq", state.seqOf(line));
        line.put("nanos", nanos);
        add(EventFields.stepEnded(started, line.fields()));
        state.end(started.step(), nanos);
    }

    private RunState.OpenStep endedStep(RunClock clock) {
        Integer said = line.count("step");
        List<Integer> open = state.openNumbers();
        if (said == null && open.size() > 1) {
            throw severalOpen(open);
        }
        int step = said != null ? said : open.isEmpty() ? state.nextStep() : open.get(0);
        if (!state.isOpen(step)) {
            begin(step, clock.startNanos(line, Math.min(state.lastStepEnd(), nanos), nanos));
        }
        return state.get(step);
    }

    /**
     * Gives the reward of a step's end. Where rewards of the step had lines of their own, it only tells their sum; and
     * so it does where the line has a number, since then the reward would have had one.
     */
    private void rewardOfEnd(int step) {
        Double value = line.number("reward");
        if (value != null && state.get(step).rewards().given() == 0 && !line.has("seq")) {
            add(RewardGivenBuilder.builder()
                    .run(run)
                    .seq(state.nextSeq())
                    .nanos(nanos)
                    .step(step)
                    .source(ENVIRONMENT)
                    .value(value)
                    .startNanos(nanos)
                    .build());
            state.reward(step, value);
            line.fields().remove("reward"); // which is now told as the step's: NaN where it is infinite
        }
    }

    /** A file whose bytes the line has, or one that others keep. What the line says of bytes that it has must be so. */
    private void artifact() {
        FileContent content = (FileContent) line.fields().get("content");
        if (content == null && !line.has("absence") && !(line.has("size") && line.has("sha256") && line.has("path"))) {
            throw new RefusedException("artifact_saved needs content, or size, sha256 and path of a file that is kept"
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

    private void heartbeat() {
        line.putKnown("steps", state.steps());
        line.putKnown("total_reward", state.rewards().sum());
        event();
    }

    private void runEnded(RunEnding ending) {
        if (nanos < state.lastNanos()) {
            throw new RefusedException("the run would end before its last event");
        }
        ending.fill(line);
        boolean completed = Outcome.COMPLETED.label().equals(line.text("outcome"));
        closeSteps(completed);
        line.putKnown("steps", state.steps());
        line.putKnown("total_reward", state.rewards().sum());
        line.putKnown("absent_rewards", state.rewards().absent());
        ending.fillStatus(line, state.rewards());
        event();
    }

    private void closeSteps(boolean completed) {
        List<RunState.OpenStep> open = state.open();
        Collections.reverse(open);
        for (RunState.OpenStep step : open) {
            close(step, completed && step.implied() ? null : "the run ended before the step");
        }
    }

    /** Ends a step of which no line says so. */
    private void close(RunState.OpenStep step, @Nullable String error) {
        StepStarted started = step.started();
        long end = Math.max(nanos, started.nanos());
        add(StepEndedBuilder.builder()
                .started(started)
                .seq(state.nextSeq())
                .nanos(end)
                .actionType("")
                .success(error == null)
                .error(error == null ? null : Content.redacted(error))
                .errorType(error == null ? null : StepEnded.ABORTED)
                .reward(step.rewards().ofStep())
                .cumulativeReward(state.rewards().sum())
                .build());
        state.end(started.step(), end);
    }
}

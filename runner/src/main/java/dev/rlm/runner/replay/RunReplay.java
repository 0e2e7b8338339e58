package dev.rlm.runner.replay;

import dev.rlm.cli.terminal.Counted;
import dev.rlm.engine.EpisodeResult;
import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Turn;
import dev.rlm.runner.episode.EpisodeListener;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Replay of one run: hands out its steps in order, and looks for the first difference. Used by the thread of its run; what it
 * came to may be asked for by others.
 */
final class RunReplay implements EpisodeListener {
    /** Parts of texts that are others in each process: the hashes of secrets, and addresses in memory. */
    private static final Pattern CHANGING =
            Pattern.compile("(?<=\\[REDACTED:[\\w-]{1,40}):[0-9a-f]+(?=])|(?<=\\b0x)[0-9a-fA-F]{6,16}\\b");

    private static final double TOLERANCE = 1e-9;

    private final ReplayedRun run;
    private final boolean rewardsAsRecorded;
    private final UnaryOperator<String> redaction;
    private final List<ToolCalled> unanswered = new ArrayList<>(); // of the current step
    private int steps; // that were handed out
    private int actions; // of the current step
    private volatile @Nullable Divergence divergence;
    private volatile @Nullable EpisodeResult result;

    /**
     * The replay of a run.
     *
     * @param rewardsAsRecorded whether the same functions reward it
     * @param redaction takes secrets out of a text
     */
    RunReplay(ReplayedRun run, boolean rewardsAsRecorded, UnaryOperator<String> redaction) {
        this.run = run;
        this.rewardsAsRecorded = rewardsAsRecorded;
        this.redaction = redaction;
    }

    ReplayedRun run() {
        return run;
    }

    /** Returns the next step; fails where the record has no more. */
    RecordedStep next() {
        if (steps == run.steps().size()) {
            throw new IllegalStateException("the record of run " + run.id() + " ends after step " + steps);
        }
        RecordedStep next = run.steps().get(steps++);
        unanswered.clear();
        unanswered.addAll(next.tools());
        return next;
    }

    /** Takes the record of the tool's next call in the current step; {@code null} where it has none. */
    @Nullable
    ToolCalled takeCall(String tool) {
        for (ToolCalled call : unanswered) {
            if (call.tool().equals(tool)) {
                unanswered.remove(call);
                return call;
            }
        }
        return null;
    }

    /** Returns what the environment gave for the current step, with the last of its calls and where it did nothing else. */
    @Nullable
    Double reward() {
        RecordedStep step = current();
        return unanswered.isEmpty() && step.tools().size() == actions ? step.environmentReward() : null;
    }

    private RecordedStep current() {
        return run.steps().get(steps - 1);
    }

    @Override
    public void starts(String observation) {
        compare(1, "observation", run.firstObservation(), observation);
    }

    /** Is told what the program makes of the current step. */
    void acts(Turn turn) {
        actions = turn.actions().size();
        RecordedStep step = current();
        String types = turn.actions().stream().map(Action::type).collect(Collectors.joining("+"));
        String codes = turn.actions().stream().map(Action::code).collect(Collectors.joining("\n"));
        compare(steps, "action", Content.redacted(step.end().actionType()), types);
        compare(steps, "code", step.end().code(), codes);
    }

    @Override
    public void stepped(Observation after, double reward) {
        RecordedStep step = current();
        List<Answer> answers =
                after.done().stream().map(Observation.Done::answer).toList();
        String output = answers.stream().map(Answer::output).collect(Collectors.joining("\n"));
        String error =
                answers.stream().map(Answer::error).filter(Objects::nonNull).collect(Collectors.joining("\n"));
        Content recordedError = step.end().error();
        compare(steps, "output", step.end().output(), output);
        compare(steps, "error", recordedError == null ? Content.EMPTY : recordedError, error);
        if (rewardsAsRecorded) {
            compare(steps, "reward", step.end().reward(), reward);
        }
    }

    @Override
    public void ended(EpisodeResult ended) {
        if (ended.outcome() == Outcome.ABORTED) {
            return; // told to stop
        }
        RunEnded end = run.isWhole() ? run.end() : null;
        String was = end == null ? ended(Outcome.COMPLETED, run.steps().size()) : ended(end.outcome(), end.steps());
        String is = ended(ended.outcome(), ended.steps());
        if (!was.equals(is)) {
            String why = ended.error() == null ? "" : ": " + ended.error();
            compare(ended.steps(), "end", Content.redacted(was), is + why);
        }
        if (end != null && rewardsAsRecorded) {
            double total = end.absentRewards() > 0 ? Double.NaN : end.totalReward();
            double now = Objects.requireNonNullElse(ended.totalReward(), 0.0);
            compare(ended.steps(), "total reward", total, ended.rewardAbsent() ? Double.NaN : now);
        }
        result = ended;
    }

    private static String ended(Outcome outcome, int steps) {
        return outcome.label() + " after " + Counted.of(steps, "step");
    }

    private void compare(int step, String what, Content recorded, String now) {
        String was = recorded.text();
        if (divergence == null && !was.equals(now)) {
            String then = steady(was);
            String is = steady(redaction.apply(now));
            if (!then.equals(is)) {
                divergence = Divergence.of(run.id(), step, what, then, is);
            }
        }
    }

    private static String steady(String text) {
        return CHANGING.matcher(text).replaceAll("");
    }

    private void compare(int step, String what, double recorded, double now) {
        boolean same = Double.compare(recorded, now) == 0
                || Math.abs(recorded - now) <= TOLERANCE * Math.max(1, Math.abs(recorded));
        if (divergence == null && !same) {
            divergence = Divergence.of(run.id(), step, what, text(recorded), text(now));
        }
    }

    private static String text(double reward) {
        return Double.isNaN(reward) ? "absent" : String.valueOf(reward);
    }

    /** Returns whether it came to an end. */
    boolean hasEnded() {
        return result != null;
    }

    /** Returns the first difference; {@code null} where there is none. */
    @Nullable
    Divergence divergence() {
        EpisodeResult ended = result;
        Divergence found = divergence;
        return ended == null || found == null ? null : found.in(ended.runId());
    }

    /** Returns the rewards by other functions than in the record; NaN where they are the same, or one of both is not known. */
    RewardPair rewards() {
        RunEnded end = run.end();
        EpisodeResult ended = result;
        if (end == null || ended == null || rewardsAsRecorded) {
            return RewardPair.NONE;
        }
        Double now = ended.totalReward();
        return run.isWhole() && end.hasUsableReward() && !ended.rewardAbsent() && now != null
                ? new RewardPair(end.totalReward(), now)
                : RewardPair.NONE;
    }

    /** Rewards of a run and its replay by other functions; NaN where one of them is not known. */
    record RewardPair(double recorded, double now) {
        static final RewardPair NONE = new RewardPair(Double.NaN, Double.NaN);
    }
}

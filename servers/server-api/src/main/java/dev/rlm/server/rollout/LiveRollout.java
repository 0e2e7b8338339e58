package dev.rlm.server.rollout;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An attempt at a rollout that goes on, with a run of its own. Its run ends once the calls that are under way have ended: so their
 * replies are in it. Safe for use by several threads, its own lock guards all of it.
 */
public final class LiveRollout {
    /** Source of the rewards that are told of a rollout. */
    static final String REWARD = "rollout";

    private static final int MAX_TOOL_CALLS = 1_024;

    private final Run run;
    private final Map<String, ToolCall> tools = new LinkedHashMap<>(); // asked for and not answered
    private final Set<Double> rewards = new HashSet<>(); // a client tells one again whose answer was lost
    private RolloutIds ids;
    private int open; // calls under way
    private @Nullable Ending ending; // once it is told
    private boolean finished; // its run has ended
    private boolean answered; // the last reply asks for nothing more
    private @Nullable String answer;
    private long heard = System.nanoTime();

    /**
     * Makes one that begins.
     *
     * @param told ids that its run tells
     * @param answered whether it needs no call to have come to its end
     */
    LiveRollout(Run run, RolloutIds told, boolean answered) {
        this.run = run;
        this.ids = told;
        this.answered = answered;
    }

    /** Returns its run. */
    public Run run() {
        return run;
    }

    /** Returns whether its end is not told yet. */
    synchronized boolean isOpen() {
        return ending == null;
    }

    /** Returns whether its run has ended. */
    synchronized boolean isFinished() {
        return finished;
    }

    /** Records ids that were not known at the start. */
    synchronized void learn(RolloutIds more) {
        RolloutIds all = ids.or(more.values());
        if (!all.equals(ids)) {
            ids = all;
            record(RolloutState.IDS_SPAN, all.values());
        }
    }

    /** Records a line of its log. Returns false where its run has ended. */
    synchronized boolean log(LogEntry entry) {
        if (finished) {
            return false;
        }
        heard = System.nanoTime();
        record(LogEntry.SPAN, entry.attributes());
        return true;
    }

    private void record(String name, Map<String, ?> values) {
        try (Span span = run.span(name)) {
            values.forEach(span::attribute);
        }
    }

    /** Notes that a call begins. Returns whether it is of this attempt: false where that has ended. */
    public synchronized boolean callStarted() {
        if (ending != null) {
            return false;
        }
        heard = System.nanoTime();
        open++;
        return true;
    }

    /**
     * Notes that a call has ended, after all that its run is to tell of it.
     *
     * @param wasAnswered whether its reply asks for nothing more
     * @param text of the reply
     */
    public synchronized void callEnded(boolean wasAnswered, String text) {
        heard = System.nanoTime();
        open--;
        answered = wasAnswered;
        answer = text.isEmpty() ? answer : text;
        finishIfDone();
    }

    /** Returns whether a call of a tool may be kept until its result is told: of very many, and of two with one id, the first. */
    public synchronized boolean hasRoomFor(String id) {
        return tools.size() < MAX_TOOL_CALLS && !tools.containsKey(id);
    }

    /** Keeps the call of a tool until its result is told. */
    public synchronized void toolStarted(String id, ToolCall call) {
        tools.put(id, call);
    }

    /**
     * Ends the call of a tool that waits for its result, if there is one.
     *
     * @param failed whether the result tells why there is none
     */
    public synchronized void toolEnded(String id, String result, boolean failed) {
        ToolCall call = tools.remove(id);
        if (call != null && failed) {
            call.fail(RunStatus.INTERNAL, result);
            call.close();
        } else if (call != null) {
            call.result(result);
            call.close();
        }
    }

    /** Ends it, once, and has its state tell so at once, whatever is under way. */
    synchronized void endNow(Ending how) {
        if (ending == null && open > 0) {
            record(LogEntry.SPAN, LogEntry.of(how, ids).attributes());
        }
        end(how);
    }

    /** Ends it, once. */
    synchronized void end(Ending how) {
        if (ending == null) {
            ending = how;
            finishIfDone();
        }
    }

    /** Ends it, and its run whatever is under way. */
    synchronized void close(Ending how) {
        open = 0;
        end(how);
        finishIfDone();
    }

    private void finishIfDone() {
        if (ending != null && open <= 0 && !finished) {
            finished = true;
            finish(ending);
        }
    }

    private void finish(Ending how) {
        if (how.reward() != null) {
            give(how.reward());
        }
        switch (how.code()) {
            case RunStatus.OK, RunStatus.FINISHED -> run.complete(answer, how.reason());
            case RunStatus.SCORE_INVALID -> {
                run.rewardAbsent(REWARD, how.message());
                run.complete(answer, how.reason());
            }
            case RunStatus.CANCELLED -> run.abort(how.message());
            default -> run.fail(how.code(), new RolloutFailedException(how.message()));
        }
    }

    /** Gives its run a reward, once. Returns false where that has ended. */
    synchronized boolean reward(double value) {
        if (!finished) {
            give(value);
        }
        return !finished;
    }

    private void give(double value) {
        if (rewards.add(value)) {
            run.reward(REWARD, value, List.of());
        }
    }

    /** Ends it if nothing was heard of it for so long; whether it did. */
    synchronized boolean endIfIdle(Duration time) {
        boolean idle = open == 0 && System.nanoTime() - heard > time.toNanos();
        if (idle) {
            conclude("idle", "nothing was heard of it for " + time.toSeconds() + " s");
        }
        return idle;
    }

    /** Ends it: it has come to its end, for that reason, if its last reply was an answer; otherwise it is aborted. */
    synchronized void conclude(String reason, String otherwise) {
        end(
                answered
                        ? new Ending(RunStatus.FINISHED, "", null, reason)
                        : new Ending(RunStatus.CANCELLED, otherwise, null, null));
    }

    /**
     * Description of an attempt's end.
     *
     * @param code one of {@link RunStatus}'s or a trainer's own
     * @param reward {@code null} if there is none
     * @param reason such as {@code stop}; {@code null} if it is not told
     */
    public record Ending(
            int code,
            String message,
            @Nullable Double reward,
            @Nullable String reason) {}

    private static final class RolloutFailedException extends Exception {
        private static final long serialVersionUID = 1;

        RolloutFailedException(String message) {
            super(message, null, false, false);
        }
    }
}

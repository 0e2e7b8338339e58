package dev.rlm.cli.rollout;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An attempt at a rollout that goes on, with a run of its own. Safe for use by several threads, its own lock guards all of it. */
public final class LiveRollout {
    private static final int MAX_TOOL_CALLS = 1_024;

    private final Run run;
    private final Map<String, ToolCall> tools = new LinkedHashMap<>(); // asked for and not answered
    private RolloutIds ids;
    private int open;
    private boolean ended;
    private boolean answered; // the last reply asks for nothing more
    private @Nullable String answer;
    private long heard = System.nanoTime();

    /**
     * One that begins.
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

    synchronized boolean isOpen() {
        return !ended;
    }

    /** Records ids that were not known at the start. */
    synchronized void learn(RolloutIds more) {
        RolloutIds all = ids.or(more.values());
        if (!all.equals(ids)) {
            ids = all;
            record(RolloutState.IDS_SPAN, all.values());
        }
    }

    synchronized void log(LogEntry entry) {
        heard = System.nanoTime();
        record(LogEntry.SPAN, entry.attributes());
    }

    private void record(String name, Map<String, ?> values) {
        try (Span span = run.span(name)) {
            values.forEach(span::attribute);
        }
    }

    /** Notes that a call begins. */
    public synchronized void callStarted() {
        heard = System.nanoTime();
        open++;
    }

    /**
     * Notes that a call has ended.
     *
     * @param wasAnswered whether its reply asks for nothing more
     * @param text of the reply
     */
    public synchronized void callEnded(boolean wasAnswered, String text) {
        heard = System.nanoTime();
        open--;
        answered = wasAnswered;
        answer = text.isEmpty() ? answer : text;
    }

    /** Returns whether a call of a tool may be kept until its result is told: of very many, and of two with one id, the first. */
    public synchronized boolean hasRoomFor(String id) {
        return tools.size() < MAX_TOOL_CALLS && !tools.containsKey(id);
    }

    /** Keeps the call of a tool until its result is told. */
    public synchronized void toolStarted(String id, ToolCall call) {
        tools.put(id, call);
    }

    /** Ends the call of a tool that waits for its result, if there is one. */
    public synchronized void toolEnded(String id, String result) {
        ToolCall call = tools.remove(id);
        if (call != null) {
            call.result(result);
            call.close();
        }
    }

    /** Ends it, once. */
    synchronized void end(Ending ending) {
        if (ended) {
            return;
        }
        ended = true;
        if (ending.reward() != null) {
            run.reward("rollout", ending.reward(), List.of());
        }
        switch (ending.code()) {
            case RunStatus.OK, RunStatus.FINISHED -> run.complete(answer, ending.reason());
            case RunStatus.SCORE_INVALID -> {
                run.rewardAbsent("rollout", ending.message());
                run.complete(answer, ending.reason());
            }
            case RunStatus.CANCELLED -> run.abort(ending.message());
            default -> run.fail(ending.code(), new RolloutFailedException(ending.message()));
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
     * @param reward {@code null} where none is given
     * @param reason such as {@code stop}; {@code null} where none is told
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

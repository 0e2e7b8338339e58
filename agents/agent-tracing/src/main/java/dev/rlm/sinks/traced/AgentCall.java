package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of an agent that is going on. In a run each of its turns is a step: it begins with a call of the model, its action is what the model
 * says, and its output what the model is shown next. Safe for use by several threads; no method throws.
 */
public final class AgentCall {
    private final Activity within;
    private final @Nullable Run run; // of its own
    private @Nullable Step turn; // guarded by this, as the next
    private boolean over;

    AgentCall(Activity within, @Nullable Run run) {
        this.within = within;
        this.run = run;
    }

    /** Returns where it is now: in a turn, or in its run or in what it was called in. */
    public synchronized Activity activity() {
        return turn == null ? within : turn;
    }

    /** Makes where it is now current on this thread; where it is left out, what is called there is left out too. */
    public Scope open() {
        return AgentRuns.open(activity());
    }

    /** Begins the call of another agent in it. */
    public AgentCall startAgent(String agent) {
        return AgentRuns.in(activity(), agent);
    }

    /**
     * Begins a turn.
     *
     * @param seen what the model is shown that it has not said: the answers of tools, what a user says
     */
    public synchronized ModelCall startModelCall(String provider, String model, String seen) {
        if (over) {
            return ModelCall.NOOP;
        } else if (within instanceof Run turns) {
            endTurn(seen);
            turn = turns.startStep(seen);
        }
        return activity().startModelCall(provider, model);
    }

    /**
     * Says what the model has said.
     *
     * @param tools the tools that it asks for, by their names
     */
    public synchronized void said(String text, List<String> tools) {
        if (turn != null) {
            turn.action(tools.isEmpty() ? "message" : tools.get(0), text);
        }
    }

    /** Starts recording a call of a tool in the turn. */
    public synchronized ToolCall startToolCall(String tool) {
        return over ? ToolCall.NOOP : activity().startToolCall(tool);
    }

    /** Ends it with what it answered; {@code null} for nothing. */
    public synchronized void complete(@Nullable String answer) {
        end();
        if (run != null) {
            run.complete(answer);
        }
    }

    /**
     * Ends it by what was thrown, as {@link Run#leave} and {@link Step#leave} say: as failed, or as aborted where that tells of a cancellation or an
     * interruption.
     */
    public synchronized void fail(Throwable error) {
        if (turn != null) {
            turn.leave(error);
            turn = null;
        }
        if (within instanceof Span span) {
            span.fail(RunStatus.causeOf(error));
        }
        end();
        if (run != null) {
            run.leave(error);
        }
    }

    /** Ends it as aborted: it was stopped from outside. */
    public synchronized void abort(String reason) {
        if (turn != null) {
            turn.abort(reason);
            turn = null;
        }
        if (within instanceof Span span) {
            span.fail(reason);
        }
        end();
        if (run != null) {
            run.abort(reason);
        }
    }

    private void end() {
        endTurn("");
        over = true;
        if (within instanceof Span span) {
            span.close();
        }
    }

    private void endTurn(String output) {
        if (turn != null) {
            turn.complete(output);
            turn = null;
        }
    }
}

package dev.rlm.runner.episode;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.Tool;
import dev.rlm.episodes.ToolException;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The tools that agents may call whatever their environment is. Also answers what cannot be done as it was asked for. */
public final class Toolbox {
    /** No tools. */
    public static final Toolbox EMPTY = new Toolbox(List.of());

    private final Map<String, Tool> tools = new LinkedHashMap<>();

    /** Those tools; of two with the same name the first one counts. */
    public Toolbox(List<Tool> tools) {
        tools.forEach(tool -> this.tools.putIfAbsent(tool.spec().name(), tool));
    }

    /** The names of the tools, in the order in which models are told of them. */
    public List<String> names() {
        return List.copyOf(tools.keySet());
    }

    /**
     * Returns the briefing of a policy: the tools of the environment, followed by these.
     *
     * @throws SetupException if a tool would be taken for one of the environment's actions
     */
    public Briefing briefing(RunSpec run, Environment environment) {
        List<ToolSpec> all = new ArrayList<>(environment.tools());
        all.forEach(action -> checkFree(action.name()));
        checkFree(environment.understand("").type());
        tools.values().stream().map(Tool::spec).forEach(all::add);
        return new Briefing(run, environment.instructions(), all, environment::understand);
    }

    private void checkFree(String action) {
        if (tools.containsKey(action)) {
            throw new SetupException("a tool is named '" + action
                    + "', as an action of the environment is: give its server a name (--mcp NAME=SERVER)");
        }
    }

    /** Returns whether the action is answered here: it names one of these tools, or has a fault. */
    boolean answers(Action action) {
        return action.fault() != null || tools.containsKey(action.type());
    }

    /** Calls the tool and records it. What goes wrong with it is for the agent to see, and ends nothing. */
    Answer call(Action action, Step step) throws InterruptedException {
        try (ToolCall call = step.startToolCall(action.type())) {
            call.arguments(action.code()).callId(action.callId());
            if (action.fault() != null) {
                return failed(call, RunStatus.INVALID_ARGUMENT, action.fault());
            }
            return called(Objects.requireNonNull(tools.get(action.type())), action, call);
        }
    }

    private Answer called(Tool tool, Action action, ToolCall call) throws InterruptedException {
        try {
            String result = tool.call(action.code(), call);
            call.result(result);
            return new Answer(result, null, null, 1, false);
        } catch (InterruptedException e) {
            call.fail(RunStatus.CANCELLED, "interrupted");
            throw e;
        } catch (ToolException e) {
            return failed(call, e.code(), String.valueOf(e.getMessage()));
        } catch (Exception e) {
            return failed(call, RunStatus.INTERNAL, e.toString());
        }
    }

    private static Answer failed(ToolCall call, int code, String error) {
        call.fail(code, error);
        return new Answer("", error, null, 1, false);
    }
}

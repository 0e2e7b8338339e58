package dev.rlm.langchain4j;

import dev.langchain4j.agentic.agent.AgentInvocationException;
import dev.langchain4j.agentic.observability.AgentInvocationError;
import dev.langchain4j.agentic.observability.AgentListener;
import dev.langchain4j.agentic.observability.AgentRequest;
import dev.langchain4j.agentic.observability.AgentResponse;
import dev.langchain4j.agentic.planner.AgentInstance;
import dev.langchain4j.agentic.scope.AgenticScope;
import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Rewarded;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.traced.AgentCall;
import dev.rlm.sinks.traced.AgentRuns;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Agents of {@code langchain4j-agentic}, recorded: the outermost is a run, unless something is current, and each subagent a step in the
 * agent that called it, in which its own turns are steps. To be given to the outermost: {@code …Builder().listener(new RecordedAgents(runs))}.
 */
public final class RecordedAgents implements AgentListener {
    private final AgentRuns runs;
    private final Map<Key, Deque<OpenAgent>> open = new ConcurrentHashMap<>();

    /** Records them in those runs. */
    public RecordedAgents(AgentRuns runs) {
        this.runs = runs;
    }

    @Override
    public boolean inheritedBySubagents() {
        return true;
    }

    @Override
    public void beforeAgentInvocation(AgentRequest request) {
        AgentInstance caller = request.agent().parent();
        OpenAgent within = caller == null ? null : last(request.agenticScope(), caller.agentId());
        String inputs = String.valueOf(request.inputs());
        OpenAgent begun;
        if (within != null && within.activity() instanceof Rewarded parent) {
            Step step = parent.startStep(inputs);
            step.action("agent", request.agentName());
            begun = new Subagent(step, step.makeCurrent());
        } else {
            AgentCall call = runs.start(request.agentName(), inputs, spec -> {});
            begun = new Outermost(call, call.open());
        }
        open.computeIfAbsent(new Key(request.agenticScope(), request.agentId()), key -> new ArrayDeque<>())
                .push(begun);
    }

    private @Nullable OpenAgent last(AgenticScope scope, String agent) {
        Deque<OpenAgent> all = open.get(new Key(scope, agent));
        return all == null ? null : all.peek();
    }

    @Override
    public void afterAgentInvocation(AgentResponse response) {
        end(response.agenticScope(), response.agentId(), each -> each.complete(String.valueOf(response.output())));
    }

    @Override
    public void onAgentInvocationError(AgentInvocationError error) {
        end(error.agenticScope(), error.agentId(), each -> each.fail(own(error.error())));
    }

    /** Returns what was thrown in an agent: each that calls another one wraps it, and so do reflection and proxies. */
    private static Throwable own(Throwable error) {
        Throwable cause = error.getCause();
        boolean wraps = error instanceof AgentInvocationException
                || error instanceof InvocationTargetException
                || error instanceof UndeclaredThrowableException;
        return wraps && cause != null ? own(cause) : error;
    }

    private void end(AgenticScope scope, String agent, Consumer<OpenAgent> ending) {
        open.computeIfPresent(new Key(scope, agent), (key, all) -> {
            ending.accept(all.pop());
            return all.isEmpty() ? null : all;
        });
    }

    /** An agent of one call of all of them. */
    private record Key(AgenticScope scope, String agent) {}

    /** An agent that is at work. */
    private sealed interface OpenAgent {
        Activity activity();

        void complete(String output);

        void fail(Throwable error);
    }

    private record Outermost(AgentCall call, Scope scope) implements OpenAgent {
        @Override
        public Activity activity() {
            return call.activity();
        }

        @Override
        public void complete(String output) {
            scope.close();
            call.complete(output);
        }

        @Override
        public void fail(Throwable error) {
            scope.close();
            call.fail(error);
        }
    }

    private record Subagent(Step activity, Scope scope) implements OpenAgent {
        @Override
        public void complete(String output) {
            scope.close();
            activity.complete(output);
        }

        @Override
        public void fail(Throwable error) {
            scope.close();
            activity.leave(error);
        }
    }
}

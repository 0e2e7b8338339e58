package dev.rlm.adk;

import com.google.adk.agents.CallbackContext;
import com.google.adk.agents.InvocationContext;
import com.google.adk.events.Event;
import com.google.adk.models.LlmRequest;
import com.google.adk.models.LlmResponse;
import com.google.adk.plugins.BasePlugin;
import com.google.adk.tools.BaseTool;
import com.google.adk.tools.ToolContext;
import com.google.genai.types.Content;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.traced.AgentCall;
import dev.rlm.sinks.traced.AgentRuns;
import dev.rlm.sinks.traced.Guard;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Maybe;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records the invocations of a runner: each is a run, unless something is current where it begins, each call of a model a step, and in it the
 * calls of tools. An agent that is a tool has a span of its own. The id of the session is the run's rollout. One line on the runner: {@code new
 * InMemoryRunner(agent, "shop", List.of(new RecordingPlugin(runs)))}.
 *
 * <p>It changes nothing that it is shown. Safe for use by several threads and runners.
 */
public final class RecordingPlugin extends BasePlugin {
    /** The invocation whose tool was begun last on this thread: an agent that is a tool begins its own there. */
    private static final ThreadLocal<@Nullable Invocation> CALLING = new ThreadLocal<>();

    private final AgentRuns runs;
    private final Map<String, Invocation> invocations = new ConcurrentHashMap<>();

    /** Records in those runs. */
    public RecordingPlugin(AgentRuns runs) {
        super("rlm");
        this.runs = runs;
    }

    @Override
    public Maybe<Content> beforeRunCallback(InvocationContext context) {
        return guarded(() -> {
            String task = context.userContent().map(Contents::text).orElse("");
            Invocation outer = CALLING.get();
            AgentCall call = outer == null
                    ? runs.start(
                            context.agent().name(),
                            task,
                            spec -> spec.correlation(Correlation.NONE.withRollout(
                                    context.session().id())))
                    : outer.call.startAgent(context.agent().name());
            invocations.put(context.invocationId(), new Invocation(call));
        });
    }

    @Override
    public Maybe<LlmResponse> beforeModelCallback(CallbackContext context, LlmRequest.Builder request) {
        return in(context.invocationId(), each -> each.asks(request.build()));
    }

    @Override
    public Maybe<LlmResponse> afterModelCallback(CallbackContext context, LlmResponse response) {
        return in(context.invocationId(), each -> each.answered(response));
    }

    @Override
    public Maybe<LlmResponse> onModelErrorCallback(
            CallbackContext context, LlmRequest.Builder request, Throwable error) {
        return in(context.invocationId(), each -> each.refused(error));
    }

    @Override
    public Maybe<Map<String, Object>> beforeToolCallback(
            BaseTool tool, Map<String, Object> arguments, ToolContext context) {
        return in(context.invocationId(), each -> {
            each.uses(tool.name(), context.functionCallId().orElse(""), arguments);
            CALLING.set(each);
        });
    }

    @Override
    public Maybe<Map<String, Object>> afterToolCallback(
            BaseTool tool, Map<String, Object> arguments, ToolContext context, Map<String, Object> result) {
        return in(context.invocationId(), each -> {
            CALLING.remove();
            each.gave(context.functionCallId().orElse(""), result, null);
        });
    }

    @Override
    public Maybe<Map<String, Object>> onToolErrorCallback(
            BaseTool tool, Map<String, Object> arguments, ToolContext context, Throwable error) {
        return in(context.invocationId(), each -> {
            CALLING.remove();
            each.gave(context.functionCallId().orElse(""), Map.of(), thrown(tool, error));
        });
    }

    /** Returns what the tool itself has thrown: ADK wraps what is checked. */
    private static Throwable thrown(BaseTool tool, Throwable error) {
        Throwable cause = error.getCause();
        return cause != null && ("Failed to call tool: " + tool.name()).equals(error.getMessage()) ? cause : error;
    }

    @Override
    public Maybe<Event> onEventCallback(InvocationContext context, Event event) {
        return in(context.invocationId(), each -> {
            if (event.finalResponse() && !event.partial().orElse(false)) {
                event.content().map(Contents::text).ifPresent(each::answers);
            }
        });
    }

    @Override
    public Completable afterRunCallback(InvocationContext context) {
        return guarded(() -> end(context, Invocation::complete)).ignoreElement();
    }

    @Override
    public Completable onRunErrorCallback(InvocationContext context, Throwable error) {
        return guarded(() -> end(context, each -> each.call.fail(error))).ignoreElement();
    }

    private void end(InvocationContext context, Consumer<Invocation> ending) {
        Invocation ended = invocations.remove(context.invocationId());
        if (ended != null) {
            ending.accept(ended);
        }
    }

    private <T> Maybe<T> in(String invocation, Consumer<Invocation> recording) {
        return guarded(() -> {
            Invocation known = invocations.get(invocation);
            if (known != null) {
                recording.accept(known);
            }
        });
    }

    private static <T> Maybe<T> guarded(Runnable recording) {
        Guard.run("a part of an agent's call", recording);
        return Maybe.empty();
    }

    /** An invocation that goes on. */
    private static final class Invocation {
        private final AgentCall call;
        private final Map<String, ToolCall> tools = new ConcurrentHashMap<>(); // by the ids of their calls
        private @Nullable ModelCall asked; // guarded by this, as the next
        private @Nullable String answer;

        Invocation(AgentCall call) {
            this.call = call;
        }

        synchronized void asks(LlmRequest request) {
            String model = request.model().orElse("");
            ModelCall begun = call.startModelCall(Contents.provider(model), model, Contents.seen(request.contents()));
            Contents.write(request, begun);
            asked = begun;
        }

        synchronized void answered(LlmResponse response) {
            ModelCall open = asked;
            if (open == null) {
                return;
            } else if (response.partial().orElse(false)) {
                open.firstToken();
                return;
            }
            asked = null;
            Contents.write(response, open);
            response.errorMessage().ifPresent(open::fail);
            open.close();
            List<String> named = Contents.tools(response);
            call.said(Contents.said(response), named);
        }

        synchronized void refused(Throwable error) {
            ModelCall open = asked;
            asked = null;
            if (open != null) {
                open.fail(String.valueOf(error));
                open.close();
            }
        }

        void uses(String tool, String id, Map<String, Object> arguments) {
            tools.put(id, call.startToolCall(tool).callId(id).arguments(Contents.json(arguments)));
        }

        void gave(String id, Map<String, Object> result, @Nullable Throwable error) {
            try (ToolCall used = tools.getOrDefault(id, ToolCall.NOOP)) {
                tools.remove(id);
                if (error == null) {
                    used.result(Contents.result(result));
                    Contents.failure(result).ifPresent(failure -> used.fail(RunStatus.INTERNAL, failure));
                } else {
                    used.fail(error);
                }
            }
        }

        synchronized void answers(String text) {
            answer = text;
        }

        synchronized void complete() {
            call.complete(answer);
        }
    }
}

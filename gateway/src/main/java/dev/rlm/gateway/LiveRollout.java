package dev.rlm.gateway;

import dev.rlm.json.Json;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** An attempt at a rollout that goes on: its calls become steps of its run. Safe for use by several threads. */
final class LiveRollout {
    private static final int MAX_TOOL_CALLS = 1_024;

    private final Run run;
    private final Map<String, ToolCall> tools =
            new LinkedHashMap<>(); // asked for and not answered; guarded by this, as all below
    private RolloutIds ids;
    private int open;
    private boolean ended;
    private boolean answered; // the last reply asks for nothing more
    private @Nullable String answer;
    private long heard = System.nanoTime();

    /** One whose run tells some ids; the others are told in a span. */
    LiveRollout(Run run, RolloutIds told, RolloutIds known) {
        this.run = run;
        this.ids = told;
        learn(known);
    }

    Run run() {
        return run;
    }

    synchronized boolean isOpen() {
        return !ended;
    }

    /** Records ids that were not known at the start. */
    synchronized void learn(RolloutIds more) {
        RolloutIds all = ids.or(more);
        if (!all.equals(ids)) {
            ids = all;
            try (Span span = run.span(RolloutState.IDS_SPAN)) {
                all.values().forEach(span::attribute);
            }
        }
    }

    synchronized void log(LogEntry entry) {
        heard = System.nanoTime();
        try (Span span = run.span(LogEntry.SPAN)) {
            entry.attributes().forEach(span::attribute);
        }
    }

    /** The first thing that a user says: what is asked of the agent. */
    static String task(ObjectNode chat) {
        for (JsonNode message : Json.elements(chat.path("messages"))) {
            if (message.path("role").stringValue("").equals("user")) {
                return ModelApi.text(message.path("content"));
            }
        }
        return "";
    }

    /**
     * Records the beginning of a call.
     *
     * @param chat the request as one for chat completions
     */
    synchronized Call start(String provider, String model, String host, int port, ObjectNode chat) {
        heard = System.nanoTime();
        open++;
        JsonNode messages = chat.path("messages");
        for (JsonNode message : Json.elements(messages)) {
            ToolCall tool = message.path("role").stringValue("").equals("tool")
                    ? tools.remove(message.path("tool_call_id").stringValue(""))
                    : null;
            if (tool != null) {
                tool.result(ModelApi.text(message.path("content")));
                tool.close();
            }
        }
        JsonNode last = messages.path(messages.size() - 1);
        Step step = run.startStep(ModelApi.text(last.path("content")));
        ModelCall call = step.startModelCall(provider, model).server(host, port);
        ChatRecorder.request(chat, call);
        return new Call(step, call);
    }

    /** Ends it, once. */
    synchronized void end(Rollouts.Ending ending) {
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
                        ? new Rollouts.Ending(RunStatus.FINISHED, "", null, reason)
                        : new Rollouts.Ending(RunStatus.CANCELLED, otherwise, null, null));
    }

    synchronized void stop() {
        if (!ended) {
            ended = true;
            run.abort(RolloutState.STOPPED);
        }
    }

    private static final class RolloutFailedException extends Exception {
        private static final long serialVersionUID = 1;

        RolloutFailedException(String message) {
            super(message, null, false, false);
        }
    }

    /** A call that was forwarded. */
    final class Call {
        private final Step step;
        private final ModelCall call;
        private boolean closed; // guarded by the rollout

        private Call(Step step, ModelCall call) {
            this.step = step;
            this.call = call;
        }

        void firstToken() {
            call.firstToken();
        }

        /**
         * Records its end, the first time.
         *
         * @param reply as one of chat completions; {@code null} where nothing came
         * @param error {@code null} where it went well
         */
        void end(@Nullable ObjectNode reply, @Nullable String error) {
            synchronized (LiveRollout.this) {
                if (!closed) {
                    closed = true;
                    heard = System.nanoTime();
                    open--;
                    record(reply, error);
                }
            }
        }

        private void record(@Nullable ObjectNode reply, @Nullable String error) {
            JsonNode message = ModelApi.object();
            if (reply != null) {
                ChatRecorder.reply(reply, call);
                message = reply.path("choices").path(0).path("message");
            }
            if (error != null) {
                call.fail(error);
            }
            call.close();
            String text = ModelApi.text(message.path("content"));
            List<JsonNode> requests = List.copyOf(Json.elements(message.path("tool_calls")));
            if (error != null) {
                answered = false;
                step.fail(error);
                step.close();
                return;
            }
            answered = requests.isEmpty();
            answer = text.isEmpty() ? answer : text;
            step.action(
                    requests.isEmpty() ? "message" : ChatRecorder.tool(requests.get(0)),
                    requests.isEmpty() ? text : ChatRecorder.arguments(requests.get(0)));
            requests.forEach(this::startTool);
            step.complete("");
        }

        /** Starts the record of what the reply asks for; a later request tells its result. */
        private void startTool(JsonNode request) {
            String id = ChatRecorder.id(request);
            if (!id.isEmpty() && tools.size() < MAX_TOOL_CALLS && !tools.containsKey(id)) {
                tools.put(
                        id,
                        step.startToolCall(ChatRecorder.tool(request))
                                .callId(id)
                                .arguments(ChatRecorder.arguments(request)));
            }
        }
    }
}

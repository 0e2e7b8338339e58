package dev.rlm.runner.replay;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Turn;
import dev.rlm.runner.openai.OpenAiPolicyProvider;
import dev.rlm.runner.openai.RequestedAction;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Step of a run as a journal has it.
 *
 * @param models the calls by which was decided what to do
 * @param tools the calls of tools, in order
 * @param environmentReward what its environment gave for it; {@code null} for nothing
 */
record RecordedStep(
        StepEnded end,
        List<ModelCalled> models,
        List<ToolCalled> tools,
        @Nullable Double environmentReward) {
    private static final String ENVIRONMENT = "environment"; // the source of what it gives

    static RecordedStep of(StepEnded end, List<RunEvent> events) {
        List<ModelCalled> models = new ArrayList<>();
        List<ToolCalled> tools = new ArrayList<>();
        Double reward = null;
        for (RunEvent event : events) {
            if (event instanceof ModelCalled call && tools.isEmpty()) { // later ones are those of tools
                models.add(call);
            } else if (event instanceof ToolCalled call) {
                tools.add(call);
            } else if (event instanceof RewardGiven given && given.source().equals(ENVIRONMENT) && !given.isAbsent()) {
                reward = (reward == null ? 0 : reward) + given.value();
            }
        }
        return new RecordedStep(end, models, tools, reward);
    }

    int number() {
        return end.step();
    }

    /** Returns why it cannot be done again; {@code null} where it can. */
    @Nullable
    String gap() {
        if (StepEnded.DEADLINE_EXCEEDED.equals(end.errorType())) {
            return "step " + number() + " took longer than it might";
        } else if (StepEnded.ABORTED.equals(end.errorType())) {
            return "step " + number() + " was cut off";
        } else if (end.actionType().isEmpty()) {
            Content error = end.error();
            return "step " + number() + " came to no action" + (error == null ? "" : ": " + error.preview(100));
        } else if (end.actionType().contains("+") && requests().isEmpty()) {
            return "step " + number() + " did several things at once, and no reply of a model tells which";
        }
        return null;
    }

    /** Returns whether a secret in what the model said was replaced, or part of it left out. */
    boolean isAltered() {
        return end.code().isAltered()
                || models.stream()
                        .map(ModelCalled::reply)
                        .anyMatch(reply -> reply != null
                                && (reply.content().isAltered()
                                        || reply.toolCalls().stream()
                                                .anyMatch(
                                                        call -> call.arguments().isAltered())));
    }

    /** Returns the tools that the model asked for; none where the step did something else. */
    private List<Message.ToolRequest> requests() {
        Message reply = reply();
        List<Message.ToolRequest> requests = reply == null ? List.of() : reply.toolCalls();
        String joined = requests.stream().map(Message.ToolRequest::tool).collect(Collectors.joining("+"));
        return joined.equals(end.actionType()) ? requests : List.of();
    }

    private @Nullable Message reply() {
        return models.isEmpty() ? null : models.get(models.size() - 1).reply();
    }

    /** Returns what the program makes of the model's reply now; where none was recorded, what was done. */
    Turn turn(Briefing briefing) {
        List<Message.ToolRequest> requests = requests();
        if (!requests.isEmpty()) {
            return new Turn(requests.stream()
                    .map(request -> RequestedAction.of(
                            briefing.tools(),
                            request.id(),
                            request.tool(),
                            request.arguments().text()))
                    .toList());
        }
        Message reply = reply();
        if (reply != null && OpenAiPolicyProvider.NAME.equals(end.run().agent())) {
            return Turn.of(understood(reply.content().text(), briefing));
        }
        return Turn.of(end.actionType(), end.code().text());
    }

    /** Returns what the words mean, without the thoughts of a server that the record has before them. */
    private Action understood(String said, Briefing briefing) {
        Action whole = briefing.understand().apply(said);
        int thought = said.startsWith("<think>\n") ? said.indexOf("\n</think>\n\n") : -1;
        boolean isRecorded = whole.type().equals(end.actionType())
                && whole.code().equals(end.code().text());
        return thought < 0 || isRecorded
                ? whole
                : briefing.understand().apply(said.substring(thought + "\n</think>\n\n".length()));
    }
}

package dev.rlm.runs.exchange.transcript;

import dev.rlm.cli.recorded.OwnCalls;
import dev.rlm.json.Json;
import dev.rlm.runs.NewMessages;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Message.ToolRequest;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A transcript of a run of which no conversation was recorded as a whole: the task, then of each step what the agent said
 * or, where no reply was recorded, did, the tools' answers, and what came of it; and what a model was newly shown besides. A step speaks
 * when it has ended, for only then it tells its action.
 */
final class ComposedTranscript {
    private final List<ChatMessage> said = new ArrayList<>();
    private final Map<Integer, List<RunEvent>> open = new HashMap<>();
    private final NewMessages messages = new NewMessages();
    private final OwnCalls own;
    private int speaker = -1; // where the agent last spoke in the step under way

    private ComposedTranscript(OwnCalls own) {
        this.own = own;
    }

    static List<ChatMessage> of(RunInfo run, List<RunEvent> events, OwnCalls own) {
        ComposedTranscript transcript = new ComposedTranscript(own);
        ChatMessage.hear(transcript.said, run.task(), run.startedAt());
        events.forEach(transcript::accept);
        transcript.open.values().forEach(calls -> calls.forEach(transcript::call));
        return transcript.timed();
    }

    private void accept(RunEvent event) {
        if (event instanceof StepEnded end) {
            List<RunEvent> calls = open.remove(end.step());
            step(end, calls == null ? List.of() : calls);
        } else if (event instanceof RunEnded end) {
            answer(end);
        } else if (own.has(event) && event.step() == RunEvent.NO_STEP) {
            call(event);
        } else if (own.has(event)) {
            open.computeIfAbsent(event.step(), step -> new ArrayList<>()).add(event);
        }
    }

    private void step(StepEnded end, List<RunEvent> calls) {
        ChatMessage.hear(said, end.started().observation(), end.started().time());
        speaker = -1;
        if (calls.stream().noneMatch(ModelCalled.class::isInstance)) {
            act(end, calls);
        }
        calls.forEach(this::call);
        speaker = -1;
        ChatMessage.hear(said, Transcript.outcome(end), end.time());
    }

    /** The action itself, unless the calls of tools say as much. */
    private void act(StepEnded end, List<RunEvent> tools) {
        String code = end.code().text();
        boolean told = tools.stream().anyMatch(event -> event instanceof ToolCalled tool && tells(tool, code));
        Instant time = tools.isEmpty() ? end.time() : end.run().at(((ToolCalled) tools.get(0)).startNanos());
        if (!end.code().isEmpty() || !tools.isEmpty()) {
            speaker = said.size();
            said.add(ChatMessage.assistant(told ? Content.EMPTY : end.code(), List.of(), time));
        }
    }

    private static boolean tells(ToolCalled tool, String code) {
        String arguments = tool.arguments().text();
        String quoted = Json.text(code);
        return arguments.contains(code) || arguments.contains(quoted.substring(1, quoted.length() - 1));
    }

    private void call(RunEvent event) {
        if (event instanceof ModelCalled call && call.reply() != null) {
            messages.of(call).forEach(message -> hear(message, call));
            speaker = said.size();
            said.add(ChatMessage.assistant(call.reply(), call.time()));
        } else if (event instanceof ToolCalled tool) {
            String id = Transcript.callId(tool, null);
            request(tool, id);
            said.add(Transcript.answer(tool, id));
        }
    }

    /** Adds what the model is newly shown, unless it is known: its own words, the answers of tools, and what has been said since. */
    private void hear(Message message, ModelCalled call) {
        boolean known =
                message.role().equals(ChatMessage.ASSISTANT) || message.role().equals(ChatMessage.TOOL);
        for (int i = said.size() - 1; !known && i >= 0 && !said.get(i).isAssistant(); i--) {
            known = said.get(i).says(message.content());
        }
        if (!known) {
            ChatMessage heard = new ChatMessage(message, call.run().at(call.startNanos()), false);
            boolean first =
                    message.role().equals(ChatMessage.SYSTEM) && said.stream().noneMatch(ChatMessage::isAssistant);
            said.add(first ? 0 : said.size(), heard);
        }
    }

    /** Has the agent ask for the tool, where it is not recorded to have. */
    private void request(ToolCalled tool, String id) {
        if (speaker < 0) {
            speaker = said.size();
            said.add(ChatMessage.assistant(Content.EMPTY, List.of(), tool.run().at(tool.startNanos())));
        }
        ChatMessage agent = said.get(speaker);
        List<ToolRequest> requests = new ArrayList<>(agent.message().toolCalls());
        if (requests.stream().noneMatch(request -> request.id().equals(id))) {
            requests.add(new ToolRequest(id, tool.tool(), tool.arguments()));
            said.set(speaker, agent.with(requests));
        }
    }

    private void answer(RunEnded end) {
        Content answer = end.finalAnswer();
        if (answer != null && !answer.isEmpty() && !isSaid(answer.text())) {
            said.add(ChatMessage.assistant(answer, List.of(), end.time()));
        }
    }

    private boolean isSaid(String text) {
        return said.stream()
                .filter(ChatMessage::isAssistant)
                .anyMatch(known -> known.message().content().text().contains(text));
    }

    /** Returns the messages with ascending times; consecutive ones of the user have the time of the last of them. */
    private List<ChatMessage> timed() {
        List<ChatMessage> timed = new ArrayList<>(said);
        for (int i = timed.size() - 2; i >= 0; i--) {
            ChatMessage next = timed.get(i + 1);
            boolean atOneGo = timed.get(i).message().role().equals(ChatMessage.USER)
                    && next.message().role().equals(ChatMessage.USER);
            if (atOneGo || timed.get(i).time().isAfter(next.time())) {
                timed.set(i, timed.get(i).at(next.time()));
            }
        }
        return timed;
    }
}

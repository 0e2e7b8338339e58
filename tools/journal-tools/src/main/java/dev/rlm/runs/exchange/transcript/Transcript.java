package dev.rlm.runs.exchange.transcript;

import dev.rlm.cli.recorded.OwnCalls;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Message.ToolRequest;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a run, as a chat.
 *
 * <p>Where the last call of the model was shown everything that came before it, the transcript is what it was shown, its
 * reply, and what came of that. Otherwise it is {@linkplain ComposedTranscript composed} of the run's steps. Calls of
 * judges are no part of it.
 */
public final class Transcript {
    public static final Instant UNKNOWN = Instant.MIN;

    private final RunInfo run;
    private final List<RunEvent> events;
    private final OwnCalls own;
    private final List<ModelCalled> calls;
    private final List<ToolCalled> tools;
    private final Set<ToolCalled> told = new HashSet<>();

    public Transcript(RunInfo run, List<RunEvent> events) {
        this.run = run;
        this.events = events;
        this.own = new OwnCalls(events);
        this.calls = own.of(ModelCalled.class, events);
        this.tools = own.of(ToolCalled.class, events);
    }

    /** The model's answers to the agent, in their order. */
    public List<ModelCalled> calls() {
        return calls;
    }

    /** Returns all messages, after what the model was told apart from them. */
    public List<ChatMessage> messages() {
        ModelCalled last = calls.isEmpty() ? null : calls.get(calls.size() - 1);
        if (last == null || !tellsAll(last)) {
            return ComposedTranscript.of(run, events, own);
        }
        List<ChatMessage> said = conversation(last);
        Content instructions = last.systemInstructions();
        if (instructions != null && !said.get(0).message().role().equals(ChatMessage.SYSTEM)) {
            Message system = new Message(ChatMessage.SYSTEM, instructions, List.of(), null);
            said.add(0, new ChatMessage(system, said.get(0).time(), false));
        }
        return said;
    }

    /** Returns whether the last call shows the whole chat: it has messages, and all earlier replies are among them. */
    private boolean tellsAll(ModelCalled last) {
        long shown = last.messages().stream()
                .filter(message -> message.role().equals(ChatMessage.ASSISTANT))
                .count();
        return !last.messages().isEmpty() && shown >= calls.size() - 1;
    }

    private List<ChatMessage> conversation(ModelCalled last) {
        List<ChatMessage> said = prompt(last);
        Message reply = Objects.requireNonNull(last.reply());
        said.add(ChatMessage.assistant(reply, last.time()));
        List<ToolCalled> after = tools.stream()
                .filter(tool -> tool.seq() > last.seq() && !told.contains(tool))
                .toList();
        for (int i = 0; i < after.size(); i++) {
            List<ToolRequest> requests = reply.toolCalls();
            said.add(answer(
                    after.get(i),
                    callId(after.get(i), i < requests.size() ? requests.get(i).id() : null)));
        }
        hear(said, last.seq(), after);
        return said;
    }

    /** Returns the messages that the model was shown, completed by their times and the tool calls of its replies. */
    public List<ChatMessage> prompt(ModelCalled call) {
        told.clear();
        List<ChatMessage> said = new ArrayList<>();
        List<@Nullable ModelCalled> origins = new ArrayList<>(); // of the replies
        int next = 0;
        for (Message message : call.messages()) {
            int origin = message.role().equals(ChatMessage.ASSISTANT) ? find(message, next, call) : -1;
            ModelCalled earlier = origin < 0 ? null : calls.get(origin);
            origins.add(earlier);
            next = origin < 0 ? next : origin + 1;
            said.add(shown(message, earlier));
        }
        return timed(said, origins, call.startNanos());
    }

    /** A reply that was recorded without its requests gets them again. */
    private ChatMessage shown(Message message, @Nullable ModelCalled earlier) {
        ToolCalled tool = message.role().equals(ChatMessage.TOOL) ? answered(message) : null;
        Instant time = tool == null ? UNKNOWN : tool.time();
        ChatMessage said = new ChatMessage(message, time, tool != null && tool.failed());
        Message reply = earlier == null ? null : earlier.reply();
        return reply == null || !message.toolCalls().isEmpty() ? said : said.with(reply.toolCalls());
    }

    private int find(Message message, int from, ModelCalled before) {
        for (int i = from; i < calls.size() && calls.get(i).seq() < before.seq(); i++) {
            Message reply = calls.get(i).reply();
            if (reply != null && ChatMessage.says(reply, message.content())) {
                return i;
            }
        }
        return -1;
    }

    private @Nullable ToolCalled answered(Message message) {
        for (ToolCalled tool : tools) {
            if (Objects.equals(tool.callId(), message.toolCallId()) && told.add(tool)) {
                return tool;
            }
        }
        return null;
    }

    /** A reply has the time when it had come, any other message that when the model was asked. */
    private List<ChatMessage> timed(List<ChatMessage> said, List<@Nullable ModelCalled> origins, long asked) {
        List<ChatMessage> timed = new ArrayList<>(said);
        long nanos = asked;
        for (int i = said.size() - 1; i >= 0; i--) {
            ModelCalled origin = origins.get(i);
            if (origin != null) {
                timed.set(i, said.get(i).at(origin.time()));
                nanos = origin.startNanos();
            } else if (said.get(i).time().equals(UNKNOWN)) {
                timed.set(i, said.get(i).at(run.at(nanos)));
            }
        }
        return timed;
    }

    /** Adds the observations and outcomes of steps that ended after the model's last reply. */
    private void hear(List<ChatMessage> said, long after, List<ToolCalled> tools) {
        String answers = tools.stream().map(tool -> text(tool).text()).collect(Collectors.joining("\n"));
        ChatMessage reply = said.get(said.size() - 1 - tools.size());
        for (RunEvent event : events) {
            if (event instanceof StepEnded end && end.seq() > after) {
                if (end.started().seq() > after) {
                    ChatMessage.hear(
                            said, end.started().observation(), end.started().time());
                }
                Content text = outcome(end);
                if (!text.text().equals(answers) && !reply.says(text)) {
                    ChatMessage.hear(said, text, end.time());
                }
            }
        }
    }

    /** Returns the step's output, or its error if there is no output. */
    static Content outcome(StepEnded end) {
        return end.output().isEmpty() && end.error() != null ? end.error() : end.output();
    }

    static ChatMessage answer(ToolCalled tool, String callId) {
        return new ChatMessage(
                new Message(ChatMessage.TOOL, text(tool), List.of(), callId), tool.time(), tool.failed());
    }

    private static Content text(ToolCalled tool) {
        return tool.error() == null ? tool.result() : tool.error();
    }

    /** Returns the id of the request that the call answers, else the other one; a made-up id if both are unknown. */
    public static String callId(ToolCalled tool, @Nullable String otherwise) {
        String id = tool.callId();
        return id != null ? id : otherwise != null ? otherwise : "call-" + tool.seq();
    }
}

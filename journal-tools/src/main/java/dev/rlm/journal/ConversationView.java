package dev.rlm.journal;

import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.jsonl.RunSummary;
import dev.rlm.sinks.schema.EventField;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A run as a conversation: what was asked, what the agent said or did, and what it was answered. A step speaks when it
 * has ended, for only then it tells its action.
 */
public final class ConversationView implements RunView {
    private static final String ASSISTANT = "assistant";

    private final PrintWriter out;
    private final Ink ink;
    private final TextLimits textLimits;
    private final Map<Integer, List<RunEvent>> open = new HashMap<>();
    private String lastSaid = "";

    /** Shows it without colours, or with those of the ink, and no more of a text than the excerpt. */
    public ConversationView(PrintWriter out, Ink ink, TextLimits textLimits) {
        this.out = out;
        this.ink = ink;
        this.textLimits = textLimits;
    }

    @Override
    public void begin(RunSummary run) {
        say("user", "", run.run().task().text());
    }

    @Override
    public void accept(RunEvent event) {
        if (event instanceof StepEnded end) {
            step(end, open.getOrDefault(end.step(), List.of()));
            open.remove(end.step());
        } else if (event instanceof RunEnded end) {
            finish();
            if (end.finalAnswer() != null) {
                say(ASSISTANT, "final answer", end.finalAnswer().text());
            }
        } else if (event.step() == RunEvent.NO_STEP) {
            call(event);
        } else if (event instanceof ModelCalled || event instanceof ToolCalled) {
            open.computeIfAbsent(event.step(), step -> new ArrayList<>()).add(event);
        }
    }

    @Override
    public void finish() {
        open.values().forEach(events -> events.forEach(this::call));
        open.clear();
    }

    private void step(StepEnded end, List<RunEvent> calls) {
        String where = "step " + end.step();
        String seen = end.started().observation().text();
        if (!seen.equals(lastSaid)) {
            say("environment", where, seen);
        }
        if (calls.stream().noneMatch(ModelCalled.class::isInstance)) {
            say(
                    ASSISTANT,
                    end.actionType().isEmpty() ? where : joined(where, end.actionType()),
                    end.code().text());
        }
        calls.forEach(this::call);
        if (!end.output().text().equals(lastSaid)) {
            say("environment", where, end.output().text());
        }
        if (end.error() != null && !end.error().text().equals(lastSaid)) {
            say("error", where, end.error().text());
        }
    }

    private void call(RunEvent event) {
        String where = event.step() == RunEvent.NO_STEP ? "" : "step " + event.step();
        if (event instanceof ToolCalled tool) {
            say("tool " + tool.tool(), where, (tool.error() == null ? tool.result() : tool.error()).text());
        } else if (event instanceof ModelCalled model) {
            shown(model).forEach(message -> message.parts().forEach(part -> media(message.role(), where, part)));
            if (model.reply() != null) {
                model.reply().parts().forEach(part -> part(where, part));
                say(ASSISTANT, where, reply(model.reply()));
            }
            if (model.error() != null) {
                say("error", where, model.error().text());
            }
        }
    }

    /** Returns the messages that the model was shown since it spoke last. */
    private static List<Message> shown(ModelCalled model) {
        List<Message> messages = model.messages();
        int from = messages.size();
        while (from > 0 && !messages.get(from - 1).role().equals(ASSISTANT)) {
            from--;
        }
        return messages.subList(from, messages.size());
    }

    /** Returns the thoughts and media of a reply, which its text and calls do not say. */
    private void part(String where, MessagePart part) {
        if (part.type() == MessagePart.Type.REASONING) {
            say(ASSISTANT, joined(where, "thinks"), part.text().text());
        } else {
            media(ASSISTANT, where, part);
        }
    }

    private void media(String who, String where, MessagePart part) {
        if (part.type().isMedia()) {
            say(who, joined(where, EventField.word(part.type())), Shown.media(part));
        }
    }

    private static String joined(String where, String what) {
        return where.isEmpty() ? what : where + ", " + what;
    }

    private static String reply(Message reply) {
        StringBuilder text = new StringBuilder(reply.content().text());
        for (Message.ToolRequest request : reply.toolCalls()) {
            text.append(text.length() == 0 ? "" : "\n")
                    .append("→ " + request.tool() + "(" + request.arguments().text() + ")");
        }
        return text.toString();
    }

    private void say(String who, String where, String text) {
        if (text.isEmpty()) {
            return;
        }
        lastSaid = text;
        out.println(
                ink.bold(Printable.line(who)) + (where.isEmpty() ? "" : ink.dim(" (" + Printable.line(where) + ")")));
        textLimits.of(text).forEach(line -> out.println("  " + line));
        out.println();
    }
}

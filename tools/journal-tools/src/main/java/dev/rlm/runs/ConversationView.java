package dev.rlm.runs;

import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.schema.EventField;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A run as a conversation: what was asked, what the agent said or did, and what it was answered. Of what a model is shown, what is new
 * is said by whose it is. A step speaks when it has ended, for only then it tells its action.
 */
public final class ConversationView implements RunView {
    private static final String ASSISTANT = "assistant";
    private static final String SYSTEM = "system";

    private final PrintWriter out;
    private final Ink ink;
    private final TextLimits textLimits;
    private final Map<Integer, List<RunEvent>> open = new HashMap<>();
    private final NewMessages messages = new NewMessages();
    private final Set<String> said = new HashSet<>(); // since the agent's last word
    private String task = ""; // until it is said
    private @Nullable Heard heard; // until it is known by whom

    /** Shows it without colours, or with those of the ink, and no more of a text than the excerpt. */
    public ConversationView(PrintWriter out, Ink ink, TextLimits textLimits) {
        this.out = out;
        this.ink = ink;
        this.textLimits = textLimits;
    }

    @Override
    public void begin(RunSummary run) {
        task = run.run().task().text();
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
        sayTask();
        sayHeard();
    }

    private void step(StepEnded end, List<RunEvent> calls) {
        String where = "step " + end.step();
        hear(where, end.started().observation().text());
        if (calls.stream().noneMatch(ModelCalled.class::isInstance)) {
            say(
                    ASSISTANT,
                    end.actionType().isEmpty() ? where : joined(where, end.actionType()),
                    end.code().text());
        }
        calls.forEach(this::call);
        hear(where, end.output().text());
        if (end.error() != null && !said.contains(end.error().text())) {
            say("error", where, end.error().text());
        }
    }

    private void call(RunEvent event) {
        String where = event.step() == RunEvent.NO_STEP ? "" : "step " + event.step();
        if (event instanceof ToolCalled tool) {
            say("tool " + tool.tool(), where, (tool.error() == null ? tool.result() : tool.error()).text());
        } else if (event instanceof ModelCalled model) {
            shown(where, messages.of(model));
            if (model.reply() != null) {
                model.reply().parts().forEach(part -> part(where, part));
                say(ASSISTANT, where, reply(model.reply()));
            }
            if (model.error() != null) {
                say("error", where, model.error().text());
            }
        }
    }

    /** Says what a model is newly shown, the system's first; the task, and what was heard, by whose word it is there. */
    private void shown(String where, List<Message> fresh) {
        List<String> texts =
                fresh.stream().map(message -> message.content().text()).toList();
        if (texts.stream().anyMatch(text -> text.contains(task))) {
            task = "";
        }
        if (heard != null && texts.contains(heard.text())) {
            heard = null;
        }
        fresh.stream().filter(message -> message.role().equals(SYSTEM)).forEach(message -> message(where, message));
        fresh.stream().filter(message -> !message.role().equals(SYSTEM)).forEach(message -> message(where, message));
    }

    private void message(String where, Message message) {
        if (!said.contains(message.content().text())) {
            say(message.role(), where, message.content().text());
        }
        message.parts().forEach(part -> media(message.role(), where, part));
    }

    /** Keeps what the agent was told in a step until it is known whether a message says it. */
    private void hear(String where, String text) {
        boolean waits = text.equals(task) || (heard != null && heard.text().equals(text));
        if (!text.isEmpty() && !waits && !said.contains(text)) {
            sayHeard();
            heard = new Heard(where, text);
        }
    }

    private void sayHeard() {
        Heard told = heard;
        heard = null;
        if (told != null) {
            print("environment", told.where(), told.text());
        }
    }

    private void sayTask() {
        String asked = task;
        task = "";
        print("user", "", asked);
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
        if (!text.isEmpty() && !who.equals(SYSTEM)) {
            sayTask();
            sayHeard();
        }
        if (who.equals(ASSISTANT)) {
            said.clear();
        }
        print(who, where, text);
    }

    private void print(String who, String where, String text) {
        if (text.isEmpty()) {
            return;
        }
        said.add(text);
        out.println(
                ink.bold(Printable.line(who)) + (where.isEmpty() ? "" : ink.dim(" (" + Printable.line(where) + ")")));
        textLimits.of(text).forEach(line -> out.println("  " + line));
        out.println();
    }

    private record Heard(String where, String text) {}
}

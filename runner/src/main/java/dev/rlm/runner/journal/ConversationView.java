package dev.rlm.runner.journal;

import dev.rlm.runner.terminal.Ink;
import dev.rlm.runner.terminal.Printable;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A run as a conversation: what was asked, what the agent said or did, and what it was answered. A step speaks when it
 * has ended, for only then it tells its action.
 */
final class ConversationView implements RunView {
    private final PrintWriter out;
    private final Ink ink;
    private final Excerpt excerpt;
    private final Map<Integer, List<RunEvent>> open = new HashMap<>();
    private String lastSaid = "";

    ConversationView(PrintWriter out, Ink ink, Excerpt excerpt) {
        this.out = out;
        this.ink = ink;
        this.excerpt = excerpt;
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
                say("assistant", "final answer", end.finalAnswer().text());
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
                    "assistant",
                    where + (end.actionType().isEmpty() ? "" : ", " + end.actionType()),
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
            if (model.reply() != null) {
                say("assistant", where, reply(model.reply()));
            }
            if (model.error() != null) {
                say("error", where, model.error().text());
            }
        }
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
        excerpt.of(text).forEach(line -> out.println("  " + line));
        out.println();
    }
}

package dev.rlm.runs;

import dev.rlm.cli.Durations;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.Verdict;
import dev.rlm.runs.TreeView.StepNode;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.RewardVersion;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Draws the parts of a run's tree, each on lines of its own. */
final class TreePrinter {
    private static final String TRUNK = "│  ";
    private static final String BRANCH = "├─ ";
    private static final String LAST = "└─ ";
    private static final String LABEL = "%-9s ";

    private final PrintWriter out;
    private final Ink ink;
    private final TextLimits textLimits;
    private boolean timed; // within the run
    private boolean bounded; // whether its length is known
    private final Costs costs = new Costs(); // of what has been drawn
    private boolean rewarded = true; // unless it is known that the run has no reward
    private double total; // of the run's rewards, once it has ended

    TreePrinter(PrintWriter out, Ink ink, TextLimits textLimits) {
        this.out = out;
        this.ink = ink;
        this.textLimits = textLimits;
    }

    /** Draws how the run stands, as far as that is known at the beginning. */
    void title(RunSummary run) {
        timed = run.hasTimesWithin();
        bounded = run.duration() != null;
        rewarded = run.state() == RunState.RUNNING || run.rewards().total() != null;
        String line = ink.bold("run " + Printable.line(run.runId())) + "  "
                + Shown.colored(ink, run.state().label());
        out.println(
                run.row().end() == null
                        ? line
                        : line + ", " + verdict(run.verdict(), ", ") + "reward " + Shown.reward(run)
                                + (run.duration() == null ? "" : ", " + Durations.text(run.duration())));
    }

    /** The verdict and what stands behind it; nothing where no reward was given, which is said of the reward. */
    private String verdict(Verdict verdict, String behind) {
        return verdict == Verdict.UNREWARDED ? "" : Shown.colored(ink, verdict.label()) + behind;
    }

    /** Draws what is known of the run at its beginning; nothing where it is {@code null} or empty. */
    void header(String label, @Nullable Object text) {
        text(TRUNK, "%-12s", label, text);
    }

    void step(int depth, StepNode node) {
        StepEnded end = node.end;
        StringBuilder line = new StringBuilder(ink.bold("step " + node.start.step()));
        line.append(timed ? offset(node.start.nanos()) : "");
        if (end == null) {
            line.append("  ").append(ink.yellow("has not ended"));
        } else {
            line.append(length(end.duration()));
            line.append(end.actionType().isEmpty() ? "" : "  " + Printable.line(end.actionType()));
            line.append(end.success() ? "" : "  " + ink.red("failed"));
            line.append("  reward ").append(rewarded ? colored(end.reward()) : Shown.NONE);
            line.append("  total ").append(rewarded ? Shown.reward(end.cumulativeReward()) : Shown.NONE);
        }
        out.println(TRUNK.repeat(depth) + BRANCH + line);
        inside(depth + 1, node, end);
    }

    private void inside(int depth, StepNode node, @Nullable StepEnded end) {
        text(depth, "sees", node.start.observation());
        text(depth, "code", end == null ? null : end.code());
        Nesting nesting = Nesting.of(node.inside);
        each(depth, nesting, false);
        text(depth, "output", end == null ? null : end.output());
        text(depth, "state", end == null ? null : Shown.states(end));
        each(depth, nesting, true);
        text(depth, "error", end == null ? null : end.error());
        text(depth, "tags", end == null || end.tags().isEmpty() ? null : end.tags());
    }

    /** Either the rewards or all else: rewards are told after what they are given for. */
    private void each(int depth, Nesting nesting, boolean rewards) {
        for (Object child : nesting.outermost()) {
            if (child instanceof StepNode nested && !rewards) {
                step(depth, nested);
            } else if (child instanceof RunEvent event && event instanceof RewardGiven == rewards) {
                event(depth, event, nesting);
            }
        }
    }

    /** An event, and what lies in it. */
    void event(int depth, RunEvent event, Nesting nesting) {
        event(depth, event);
        nesting.in(event).forEach(inner -> event(depth + 1, inner, nesting));
    }

    private void event(int depth, RunEvent event) {
        switch (event.type()) {
            case TOOL_CALLED -> tool(depth, (ToolCalled) event);
            case MODEL_CALLED -> model(depth, (ModelCalled) event);
            case REWARD_GIVEN -> reward(depth, (RewardGiven) event);
            case SPAN_RECORDED -> span(depth, (SpanRecorded) event);
            case ARTIFACT_SAVED -> artifact(depth, (ArtifactSaved) event);
            case RUN_STARTED,
                    STEP_STARTED,
                    STEP_ENDED,
                    HEARTBEAT,
                    RUN_ENDED,
                    METRICS_REPORTED,
                    STANDALONE_SPAN_RECORDED,
                    LEDGER_REPORTED -> {
                // lines of their own, or none
            }
        }
    }

    private void span(int depth, SpanRecorded span) {
        Duration duration = Duration.ofNanos(span.nanos() - span.startNanos());
        branch(depth, "span", Printable.line(span.name()) + length(duration), span.error());
        span.attributes().forEach((name, value) -> text(depth + 1, Printable.line(name), value));
    }

    private void artifact(int depth, ArtifactSaved file) {
        String size = String.format(Locale.ROOT, "%,d bytes", file.size());
        String place = file.absence() == null ? file.path() : "not kept: " + file.absence();
        branch(depth, "saved", Printable.line(file.name() + "  " + size + "  " + place), null);
    }

    private void tool(int depth, ToolCalled tool) {
        branch(
                depth,
                "tool",
                textLimits.ofCell(tool.tool()) + "("
                        + textLimits.ofCell(tool.arguments().text()) + ") → "
                        + (tool.failed()
                                ? ink.red("failed (" + tool.statusCode() + ")")
                                : textLimits.ofCell(Shown.result(tool)))
                        + length(tool.duration()) + retries(tool.retries()),
                tool.error());
        text(depth + 1, "found", Shown.documents(tool));
    }

    private void model(int depth, ModelCalled model) {
        costs.add(model.costAmount(), model.costCurrency());
        branch(
                depth,
                "model",
                Printable.line(model.model())
                        + length(model.duration())
                        + tokens(model.usage())
                        + cost(model)
                        + retries(model.retries()),
                model.error());
        text(depth + 1, "answered", answered(model));
        text(depth + 1, "told", model.systemInstructions());
        text(depth + 1, "offered", model.toolDefinitions());
        Message reply = model.reply();
        if (reply != null) {
            reply.parts().forEach(part -> part(depth + 1, part));
            text(depth + 1, "reply", reply.content());
            for (Message.ToolRequest request : reply.toolCalls()) {
                text(
                        depth + 1,
                        "asks for",
                        request.tool() + "(" + request.arguments().text() + ")");
            }
        }
    }

    /** Draws a part of the reply that its text and its calls do not say. */
    private void part(int depth, MessagePart part) {
        if (part.type() == MessagePart.Type.REASONING) {
            text(depth, "thinks", part.text());
        } else if (part.type().isMedia()) {
            text(depth, EventField.word(part.type()), Shown.media(part));
        }
    }

    /** Returns the model, unless it is the one that was asked, the server and the response's id, as far as they are known. */
    private static String answered(ModelCalled model) {
        String other = Objects.equals(model.responseModel(), model.model()) ? null : model.responseModel();
        String port = model.serverPort() == 0 ? "" : ":" + model.serverPort();
        String server = model.serverAddress() == null ? null : model.serverAddress() + port;
        return Stream.of(other, server, model.responseId())
                .filter(Objects::nonNull)
                .collect(Collectors.joining("  "));
    }

    private static String tokens(Usage usage) {
        return usage.inputTokens() == null && usage.outputTokens() == null
                ? ""
                : "  tokens in " + count(usage.inputTokens()) + ", out " + count(usage.outputTokens());
    }

    private static String cost(ModelCalled model) {
        return model.costAmount() == null
                ? ""
                : "  cost " + Shown.amount(model.costAmount())
                        + (model.costCurrency() == null ? "" : " " + Printable.line(model.costCurrency()));
    }

    private static String count(@Nullable Long tokens) {
        return tokens == null ? "?" : String.format(Locale.ROOT, "%,d", tokens);
    }

    private static String retries(int retries) {
        return retries == 0 ? "" : "  retries " + retries;
    }

    private void reward(int depth, RewardGiven reward) {
        branch(depth, "reward", line(reward), null);
        text(depth + 1, "because", reward.explanation());
    }

    /** A reward that came when the run had ended, with what it makes of the total; a second opinion is in none. */
    void late(RewardGiven reward) {
        boolean counts = !RewardVersion.isOpinion(reward);
        total += !counts || Double.isInfinite(reward.value()) ? 0 : reward.value();
        out.println("   " + ink.dim(String.format(LABEL, "reward")) + line(reward) + offset(reward.nanos())
                + ", after the end" + (counts ? "  total " + Shown.reward(total) : "")
                + (reward.solved() == null
                        ? ""
                        : "  decides: " + Verdict.of(reward.solved(), true).label()));
        after("because", reward.explanation());
    }

    private String line(RewardGiven reward) {
        String value = reward.isAbsent()
                ? ink.yellow("absent") + ": " + Printable.line(String.valueOf(reward.absence()))
                : colored(reward.value());
        return value + (reward.label() == null ? "" : " " + Printable.line(reward.label())) + "  "
                + Printable.line(reward.source())
                + (reward.kind() == null ? "" : ", " + EventField.word(reward.kind()))
                + (reward.isOutOfRange() ? "  " + ink.yellow("outside " + range(reward)) : "")
                + parts(reward.components());
    }

    private static String range(RewardGiven reward) {
        String min = reward.min() == null ? "" : Shown.reward(reward.min());
        String max = reward.max() == null ? "" : Shown.reward(reward.max());
        return min + ".." + max;
    }

    private static String parts(List<RewardComponent> components) {
        return components.isEmpty()
                ? ""
                : components.stream().map(TreePrinter::part).collect(Collectors.joining(", ", "  (", ")"));
    }

    private static String part(RewardComponent part) {
        String unit = part.unit() == null ? "" : " " + part.unit();
        return Printable.line(part.name() + " " + Shown.reward(part.value()) + unit) + " × " + part.weight();
    }

    private String colored(double reward) {
        String text = Shown.reward(reward);
        return reward > 0 ? ink.green(text) : reward < 0 ? ink.red(text) : text;
    }

    void end(RunEnded end, Verdict verdict) {
        total = end.absentRewards() > 0 ? Double.NaN : end.totalReward();
        boolean given = rewarded && end.hasReward();
        String label = end.outcome().label();
        out.println(LAST + Shown.colored(ink, label) + (bounded ? offset(end.nanos()) : "") + "  "
                + verdict(verdict, "  ") + "reward " + (given ? Shown.reward(total) : Shown.NONE) + "  steps "
                + end.steps()
                + (end.truncated() ? "  cut off" : ""));
        String message = end.status().message();
        after("status", end.status().code() + (message.isEmpty() ? "" : " " + message));
        after("reason", end.terminationReason());
        after("answer", end.finalAnswer());
        after("cost", costs);
        after("state", end.initialState() == null ? null : "first " + Shown.digest(end.initialState()));
        after("metrics", end.metrics().isEmpty() ? null : end.metrics());
        after("error", end.error());
    }

    private static String offset(long nanos) {
        return "  +" + Durations.text(Duration.ofNanos(nanos));
    }

    /** The length of what lies within the run, where it is known. */
    private String length(Duration length) {
        return timed ? "  " + Durations.text(length) : "";
    }

    private void branch(int depth, String label, String line, @Nullable Content error) {
        String trunk = depth == 0 ? BRANCH : TRUNK.repeat(depth);
        out.println(trunk + ink.dim(String.format(LABEL, label)) + line);
        if (error != null) {
            text(depth + 1, "error", error);
        }
    }

    private void text(int depth, String label, @Nullable Object text) {
        text(TRUNK.repeat(depth), LABEL, label, text);
    }

    private void after(String label, @Nullable Object text) {
        text("   ", LABEL, label, text);
    }

    private void text(String trunk, String format, String label, @Nullable Object text) {
        String all = text == null ? "" : text instanceof Content content ? content.text() : text.toString();
        String shown = String.format(format, label);
        for (String line : textLimits.of(all)) {
            out.println(trunk + ink.dim(shown) + line);
            shown = String.format(format, "");
        }
    }
}

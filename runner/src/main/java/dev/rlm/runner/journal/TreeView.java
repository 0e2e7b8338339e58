package dev.rlm.runner.journal;

import dev.rlm.runner.terminal.Durations;
import dev.rlm.runner.terminal.Ink;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A run as a tree. A step is drawn, with all that lies in it, when it has ended; the outermost one decides. So the same
 * is drawn for a run that is watched and for one that has ended.
 */
final class TreeView implements RunView {
    private final TreePrinter printer;
    private final Map<Integer, StepNode> steps = new LinkedHashMap<>();

    private boolean ended;

    TreeView(PrintWriter out, Ink ink, Excerpt excerpt) {
        printer = new TreePrinter(out, ink, excerpt);
    }

    @Override
    public void begin(RunSummary summary) {
        RunInfo run = summary.run();
        printer.title(run.runId(), state(summary));
        printer.header("task", run.task().text());
        printer.header("environment", run.environment());
        printer.header("model", run.model());
        printer.header("started", run.startedAt().toString());
        printer.header("seed", run.seed() == null ? "" : run.seed().toString());
        printer.header("params", named(run.params()));
        printer.header("ids", named(Ids.of(run.correlation())));
        printer.header("tags", named(run.tags()));
    }

    /** How the run stands, where that is known at the beginning. */
    private static String state(RunSummary summary) {
        RunEnded end = summary.end();
        String state = summary.state().label();
        return end == null
                ? state
                : state + (end.solved() ? ", solved" : ", not solved") + ", reward " + Shown.reward(summary) + ", "
                        + Durations.text(summary.duration());
    }

    private static String named(Map<String, ?> values) {
        return values.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining("  "));
    }

    @Override
    public void accept(RunEvent event) {
        if (event instanceof StepStarted start) {
            started(start);
        } else if (event instanceof StepEnded end) {
            ended(end);
        } else if (event instanceof RunEnded end) {
            finish();
            printer.end(end);
            ended = true;
        } else if (ended && event instanceof RewardGiven reward) {
            printer.late(reward);
        } else if (!(event instanceof RunStarted)) {
            StepNode node = steps.get(event.step());
            if (node == null) {
                printer.event(0, event);
            } else {
                node.inside().add(event);
            }
        }
    }

    private StepNode started(StepStarted start) {
        StepNode node = new StepNode(start);
        StepNode parent = steps.get(start.parentStep());
        if (parent != null) {
            parent.inside().add(node);
            node.nest();
        }
        steps.put(start.step(), node);
        return node;
    }

    private void ended(StepEnded end) {
        StepNode known = steps.get(end.step());
        StepNode node = known == null ? started(end.started()) : known; // its start may be lost
        node.end(end);
        if (!node.isNested()) {
            draw(node);
        }
    }

    private void draw(StepNode node) {
        forget(node);
        printer.step(0, node);
    }

    private void forget(StepNode node) {
        steps.remove(node.start().step());
        node.inside().forEach(child -> {
            if (child instanceof StepNode nested) {
                forget(nested);
            }
        });
    }

    /** Draws the steps that have not ended. */
    @Override
    public void finish() {
        List<StepNode> open =
                steps.values().stream().filter(node -> !node.isNested()).toList();
        open.forEach(this::draw);
    }

    /** A step with what happened in it: events, and the steps that are nested in it. */
    static final class StepNode {
        private final StepStarted start;
        private final List<Object> inside = new ArrayList<>();
        private @Nullable StepEnded end;
        private boolean nested;

        StepNode(StepStarted start) {
            this.start = start;
        }

        StepStarted start() {
            return start;
        }

        List<Object> inside() {
            return inside;
        }

        @Nullable
        StepEnded end() {
            return end;
        }

        void end(StepEnded event) {
            end = event;
        }

        boolean isNested() {
            return nested;
        }

        void nest() {
            nested = true;
        }
    }
}

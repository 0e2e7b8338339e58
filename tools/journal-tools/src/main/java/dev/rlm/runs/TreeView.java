package dev.rlm.runs;

import dev.rlm.cli.terminal.Ink;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.Verdict;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.schema.RecordSchema;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A run as a tree. A step, a span or a reward is drawn, with all that lies in it, when it has ended; the outermost one
 * decides. So the same is drawn for a run that is watched and for one that has ended.
 */
final class TreeView implements RunView {
    private final TreePrinter printer;
    private final Map<Integer, StepNode> steps = new LinkedHashMap<>();
    private final List<RunEvent> waiting = new ArrayList<>(); // for the work that they lie in

    private @Nullable Verdict judged; // where the run had ended when it was looked up
    private boolean ended;

    TreeView(PrintWriter out, Ink ink, TextLimits textLimits) {
        printer = new TreePrinter(out, ink, textLimits);
    }

    @Override
    public void begin(RunSummary summary) {
        RunInfo run = summary.run();
        judged = summary.row().end() == null ? null : summary.verdict();
        printer.title(summary);
        printer.header("task", run.task());
        printer.header("expected", run.expectedAnswer());
        printer.header("environment", run.environment());
        printer.header("model", run.model());
        printer.header(
                "agent",
                Stream.of(run.agent(), run.agentVersion())
                        .filter(Objects::nonNull)
                        .collect(Collectors.joining(" ")));
        printer.header("started", run.startedAt());
        printer.header("seed", run.seed());
        printer.header("params", named(run.params()));
        printer.header("ids", named(ids(run.correlation())));
        printer.header("tags", named(run.tags()));
    }

    /** The ids that join a run to a trainer or a data set, by short names; only those that are there. */
    private static Map<String, Object> ids(Correlation ids) {
        Map<String, Object> byName = new LinkedHashMap<>();
        RecordSchema.of(Correlation.class).fields().stream()
                .sorted(Comparator.comparing(field -> !field.name().equals("sample_id"))) // what people look for first
                .filter(field -> field.get(ids) != null)
                .forEach(field -> byName.put(
                        field.name().replaceFirst("_(id|index|version)$", "").replace('_', '-'), field.get(ids)));
        return byName;
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
            printer.end(end, judged == null ? Verdict.of(end.isSolved(null), end.hasReward()) : judged);
            ended = true;
        } else if (ended && event instanceof RewardGiven reward) {
            printer.late(reward);
        } else if (!(event instanceof RunStarted)) {
            StepNode node = steps.get(event.step());
            if (node == null) {
                outsideSteps(event);
            } else {
                node.inside.add(event);
            }
        }
    }

    /** A span or a reward is numbered from its start, and told at its end. */
    @Override
    public void replay(List<RunEvent> events) {
        Queue<RunEvent> going = new PriorityQueue<>(Comparator.comparingLong(RunEvent::nanos)
                .thenComparing(Comparator.comparingLong(RunEvent::seq).reversed()));
        for (RunEvent event : events) {
            while (!going.isEmpty() && (going.element().nanos() < event.nanos() || event instanceof RunEnded)) {
                accept(going.remove());
            }
            if (Nesting.isWork(event) && !ended && event.step() == RunEvent.NO_STEP) {
                going.add(event);
            } else {
                accept(event);
            }
        }
        going.stream().sorted(Comparator.comparingLong(RunEvent::nanos)).forEach(this::accept);
    }

    private void outsideSteps(RunEvent event) {
        waiting.add(event);
        if (Nesting.around(event) == 0 || ended) {
            Nesting nesting = Nesting.of(waiting);
            printer.event(0, event, nesting);
            drop(event, nesting);
        }
    }

    private void drop(RunEvent drawn, Nesting nesting) {
        waiting.remove(drawn);
        nesting.in(drawn).forEach(inner -> drop(inner, nesting));
    }

    private StepNode started(StepStarted start) {
        StepNode node = new StepNode(start);
        StepNode parent = steps.get(start.parentStep());
        if (parent != null) {
            parent.inside.add(node);
            node.nested = true;
        }
        steps.put(start.step(), node);
        return node;
    }

    private void ended(StepEnded end) {
        StepNode known = steps.get(end.step());
        StepNode node = known == null ? started(end.started()) : known; // its start may be lost
        node.end = end;
        if (!node.nested) {
            draw(node);
        }
    }

    private void draw(StepNode node) {
        forget(node);
        printer.step(0, node);
    }

    private void forget(StepNode node) {
        steps.remove(node.start.step());
        node.inside.forEach(child -> {
            if (child instanceof StepNode nested) {
                forget(nested);
            }
        });
    }

    /** Draws the steps that have not ended, and what lies in spans of which nothing is known. */
    @Override
    public void finish() {
        Nesting left = Nesting.of(waiting);
        waiting.clear();
        left.outermost().forEach(event -> printer.event(0, (RunEvent) event, left));
        List<StepNode> open =
                steps.values().stream().filter(node -> !node.nested).toList();
        open.forEach(this::draw);
    }

    /** A step with what happened in it: events, and the steps that are nested in it. */
    static final class StepNode {
        final StepStarted start;
        final List<Object> inside = new ArrayList<>();

        @Nullable
        StepEnded end;

        private boolean nested;

        private StepNode(StepStarted start) {
            this.start = start;
        }
    }
}

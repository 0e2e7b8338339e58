package dev.rlm.runs.scan;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Run that has ended, as rules see it. Events are in the order of their numbers.
 *
 * @param isWhole whether the journal has all of its events
 * @param calls of the agent's models, without those that judge it
 */
record ScannedRun(
        RunEnded end,
        boolean isWhole,
        List<StepStarted> starts,
        List<StepEnded> steps,
        List<ToolCalled> tools,
        List<ModelCalled> calls) {
    /** The kinds of events that tell it, and those that a score given to it needs. */
    static final Set<Class<? extends RunEvent>> KINDS = Set.of(
            StepStarted.class, StepEnded.class, ToolCalled.class, ModelCalled.class, RewardGiven.class, RunEnded.class);

    /** Makes it of events; {@code null} where its end is not among them. */
    static @Nullable ScannedRun of(List<RunEvent> events, boolean isWhole) {
        List<RunEnded> ends = all(events, RunEnded.class);
        Set<Long> rewards =
                all(events, RewardGiven.class).stream().map(RewardGiven::seq).collect(Collectors.toSet());
        return ends.isEmpty()
                ? null
                : new ScannedRun(
                        ends.get(0),
                        isWhole,
                        all(events, StepStarted.class),
                        all(events, StepEnded.class),
                        all(events, ToolCalled.class),
                        all(events, ModelCalled.class).stream()
                                .filter(call -> !rewards.contains(call.parentSeq()))
                                .toList());
    }

    private static <T> List<T> all(List<RunEvent> events, Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    String task() {
        return end.run().task().text();
    }

    /** Returns the true answer; empty if it is unknown, redacted or cut. */
    String truth() {
        Content truth = end.run().expectedAnswer();
        return truth == null || truth.isAltered() ? "" : truth.text().strip();
    }

    /** Returns the final answer; empty where there is none. */
    String answer() {
        Content answer = end.finalAnswer();
        return answer == null ? "" : answer.text();
    }

    @Nullable
    ModelCalled lastCall() {
        return calls.isEmpty() ? null : calls.get(calls.size() - 1);
    }

    /** Returns what the agent was told by tools and its environment, by number. */
    List<Told> told() {
        List<Told> told = new ArrayList<>();
        tools.forEach(tool -> told.add(new Told(tool, tool.result().text())));
        steps.forEach(step -> told.add(new Told(step, step.output().text())));
        starts.forEach(start -> told.add(new Told(start, start.observation().text())));
        told.removeIf(each -> each.text().isBlank() || each.text().equals(task()));
        told.sort((one, other) -> Long.compare(one.event().seq(), other.event().seq()));
        return told;
    }

    /** Returns whether the agent itself had used the words by the time of that event, in what it said or did. */
    boolean saysBefore(String words, RunEvent event) {
        return steps.stream()
                        .anyMatch(step -> (step.startSeq() < event.seq() || step.seq() == event.seq())
                                && WholeWords.contains(step.code().text(), words))
                || tools.stream()
                        .anyMatch(tool -> tool.seq() <= event.seq()
                                && WholeWords.contains(tool.arguments().text(), words))
                || calls.stream().anyMatch(call -> call.seq() < event.seq() && WholeWords.contains(said(call), words));
    }

    /** Returns whether the agent did something after an event; in a step, what it does comes after what it sees. */
    boolean actsAfter(RunEvent event) {
        return calls.stream().anyMatch(call -> call.seq() > event.seq())
                || steps.stream().anyMatch(step -> step.startSeq() >= event.seq())
                || tools.stream().anyMatch(tool -> tool.seq() > event.seq());
    }

    /** Returns what a model said, with what it asked tools. */
    static String said(ModelCalled call) {
        Message reply = call.reply();
        return reply == null
                ? ""
                : reply.content().text()
                        + reply.toolCalls().stream()
                                .map(request -> "\n" + request.arguments().text())
                                .collect(Collectors.joining());
    }

    /** Text that the agent was told. */
    record Told(RunEvent event, String text) {}
}

package dev.rlm.runs.scan;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Repetitions in what a run does, or says. */
final class Repetitions {
    private static final int SAME_RESULT = 4; // times in a row that are a loop
    private static final int SAME_FAILURE = 3;
    private static final int TAIL = 360; // characters at the end of a text
    private static final int UNIT = 60; // of those the longest part that is repeated
    private static final int CALLS_OF_STEP = 25; // of one tool
    private static final int CALLS_OF_RUN = 150;
    private static final List<String> REPEATABLE = // in actions that wait for something, or go on with something
            List.of("sleep", "wait", "poll", "status", "next", "scroll", "press", "click", "move");

    private Repetitions() {}

    /** Finds actions and calls of tools that are done several times in a row with the same result, and texts that end in circles. */
    static List<Citation> loops(ScannedRun run) {
        List<Citation> found = new ArrayList<>();
        Map<Integer, List<StepEnded>> siblings = run.steps().stream()
                .collect(Collectors.groupingBy(StepEnded::parentStep, LinkedHashMap::new, Collectors.toList()));
        siblings.values().forEach(steps -> repeated(steps.stream().map(Deed::of).toList(), found));
        if (found.isEmpty()) { // else these are the same
            repeated(run.tools().stream().map(Deed::of).toList(), found);
        }
        for (ModelCalled call : run.calls()) {
            circle(call, call.reply() == null ? "" : call.reply().content().text(), found);
        }
        if (run.calls().isEmpty()) {
            circle(run.end(), run.answer(), found);
        }
        return found;
    }

    private static void repeated(List<Deed> deeds, List<Citation> found) {
        int times = 0;
        for (int i = 0; i < deeds.size(); i++) {
            Deed deed = deeds.get(i);
            times = i > 0 && deed.isSame(deeds.get(i - 1)) ? times + 1 : 1;
            boolean goesOn = i + 1 < deeds.size() && deed.isSame(deeds.get(i + 1));
            if (!goesOn && times >= (deed.failed() ? SAME_FAILURE : SAME_RESULT) && !deed.isRepeatable()) {
                found.add(Citation.of(deed.event(), times + " times in a row: " + deed.action()));
            }
        }
    }

    private static void circle(RunEvent event, String text, List<Citation> found) {
        int from = text.length() - TAIL;
        for (int period = 1; from >= 0 && period <= UNIT; period++) {
            if (text.regionMatches(from, text, from + period, TAIL - period)) {
                String unit = text.substring(from, from + period);
                if (unit.chars().anyMatch(Character::isLetterOrDigit)) { // else it is a line or blanks
                    found.add(Citation.of(event, "the text ends in circles: " + text.substring(from)));
                }
                return;
            }
        }
    }

    /** Finds tools that are called very often in a step, or in the run. */
    static List<Citation> storms(ScannedRun run) {
        List<Citation> found = new ArrayList<>();
        Map<String, List<ToolCalled>> byTool = run.tools().stream()
                .collect(Collectors.groupingBy(ToolCalled::tool, LinkedHashMap::new, Collectors.toList()));
        byTool.forEach((tool, calls) -> {
            Map<Integer, List<ToolCalled>> bySteps = calls.stream()
                    .filter(call -> call.step() != RunEvent.NO_STEP)
                    .collect(Collectors.groupingBy(ToolCalled::step, LinkedHashMap::new, Collectors.toList()));
            bySteps.values().forEach(inStep -> storm(inStep, CALLS_OF_STEP, "the step", found));
            storm(calls, CALLS_OF_RUN, "the run", found);
        });
        return found;
    }

    private static void storm(List<ToolCalled> calls, int limit, String where, List<Citation> found) {
        if (calls.size() >= limit) {
            ToolCalled last = calls.get(calls.size() - 1);
            found.add(Citation.of(
                    last,
                    String.format(
                            Locale.ROOT,
                            "%,d calls of %s in %s, the last of %s",
                            calls.size(),
                            last.tool(),
                            where,
                            last.arguments().text())));
        }
    }

    /**
     * Action, and what came of it.
     *
     * @param action empty where it is not known
     */
    private record Deed(RunEvent event, String action, String result, boolean failed) {
        static Deed of(StepEnded step) {
            return of(step, step.actionType(), step.code(), step.output().text() + state(step), step.error());
        }

        static Deed of(ToolCalled tool) {
            return of(tool, tool.tool(), tool.arguments(), tool.result().text(), tool.error());
        }

        private static String state(StepEnded step) {
            return step.stateAfter() == null ? "" : "\n" + step.stateAfter();
        }

        private static Deed of(RunEvent event, String name, Content what, String result, @Nullable Content error) {
            String text = what.text().strip();
            boolean known = !text.isEmpty() && !text.equals("{}");
            return new Deed(
                    event,
                    known ? name + "(" + text + ")" : "",
                    result + (error == null ? "" : error.text()),
                    error != null);
        }

        boolean isSame(Deed other) {
            return !action.isEmpty()
                    && !result.isBlank() // which would not tell what came of it
                    && action.equals(other.action)
                    && failed == other.failed
                    && result.equals(other.result);
        }

        /** Returns whether there is sense in doing it again. */
        boolean isRepeatable() {
            return Stream.of(action, result)
                    .map(text -> text.toLowerCase(Locale.ROOT))
                    .anyMatch(text -> REPEATABLE.stream().anyMatch(text::contains));
        }
    }
}

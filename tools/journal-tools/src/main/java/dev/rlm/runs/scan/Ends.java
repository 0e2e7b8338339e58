package dev.rlm.runs.scan;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The way in which a run came to its end, and the answer that it ended with. */
final class Ends {
    private static final int MAX_REFUSAL = 2_000; // characters: a longer answer says more than that
    private static final int BEGINNING = 300; // of an answer, in which it refuses
    private static final Set<String> BY_LENGTH =
            Set.of("length", "max_tokens", "max_output_tokens", "model_length", "token_limit");
    private static final Pattern REFUSAL = Pattern.compile("(?i)"
            + "\\b(?:i|we)\\b(?: am|'m| are|'re)?(?: really| very| so)?(?: sorry| afraid)?[^.?!\\n]{0,40}?"
            + "(?:\\bcan(?:'t|not| not)|\\bunable to|\\bnot able to|\\bwon't|\\bwill not|\\bdecline to|\\bnot going to)"
            + "(?: \\w+){0,3}? (?:"
            + "(?:help|assist)(?: you| anyone| them)?(?: with\\b|\\s*[.,;!]|$| to\\b| in\\b)"
            + "|comply\\b|participate in\\b|engage in\\b|fulfil+ (?:this|that|your|the)\\b"
            + "|do (?:that|this)\\s*(?:[.,;!]|$)|continue with (?:this|that) (?:request|conversation|task)\\b"
            + "|(?:provide|give|share|create|write|generate|produce)[^.?!\\n]{0,40}"
            + "\\b(?:that could|which could|harm\\w*|illegal\\w*|dangerous|malicious|instructions (?:for|on|to)))"
            + "|\\b(?:against|violates?) (?:my|our) (?:\\w+ )?(?:guidelines|polic(?:y|ies)|programming|principles)\\b"
            + "|\\bas an ai(?: \\w+){0,3},? i (?:can(?:'t|not)|am (?:unable|not able))\\b");

    private Ends() {}

    /** Finds runs that were cut off, and last replies that were cut by their length. */
    static List<Citation> truncations(ScannedRun run) {
        List<Citation> found = new ArrayList<>();
        ModelCalled last = run.lastCall();
        if (last != null
                && last.finishReason() != null
                && BY_LENGTH.contains(last.finishReason().toLowerCase(Locale.ROOT))) {
            String said = ScannedRun.said(last);
            found.add(Citation.of(last, "the reply was cut (" + last.finishReason() + "): " + end(said)));
        }
        if (run.end().truncated()) {
            found.add(Citation.of(run.end(), "the run was cut off: " + run.end().terminationReason()));
        }
        return found;
    }

    private static String end(String text) {
        int from = Math.max(0, text.length() - BEGINNING / 2);
        return (from > 0 ? "…" : "") + text.substring(from);
    }

    /** Finds solved runs that did and said nothing, or never gave the answer that was asked of them. */
    static List<Citation> emptySuccesses(ScannedRun run) {
        RunEnded end = run.end();
        if (!end.solved() || !run.isWhole() || !run.answer().isBlank()) {
            return List.of();
        } else if (!acts(run)) {
            return List.of(Citation.of(end, "solved, and nothing was done or said"));
        }
        String truth = run.truth();
        boolean given = truth.isEmpty()
                || run.steps().stream()
                        .anyMatch(step -> WholeWords.contains(step.code().text(), truth))
                || run.steps().stream()
                        .anyMatch(step -> WholeWords.contains(step.output().text(), truth))
                || run.tools().stream()
                        .anyMatch(tool -> WholeWords.contains(tool.arguments().text(), truth))
                || run.calls().stream().anyMatch(call -> WholeWords.contains(ScannedRun.said(call), truth));
        return given
                ? List.of()
                : List.of(Citation.of(end, "solved without an answer, where " + truth + " is expected"));
    }

    private static boolean acts(ScannedRun run) {
        return !run.tools().isEmpty()
                || run.steps().stream()
                        .anyMatch(step -> !step.code().text().isBlank()
                                || !step.actionType().isBlank()
                                || !step.output().text().isBlank())
                || run.calls().stream().anyMatch(call -> !ScannedRun.said(call).isBlank());
    }

    /** Finds final answers, or last replies where there is none, that refuse what was asked. */
    static List<Citation> refusals(ScannedRun run) {
        ModelCalled last = run.lastCall();
        Message reply = last == null ? null : last.reply();
        boolean speaks =
                run.answer().isBlank() && reply != null && reply.toolCalls().isEmpty();
        RunEvent event = speaks && last != null ? last : run.end();
        String text = speaks && reply != null ? reply.content().text() : run.answer();
        if (text.length() > MAX_REFUSAL || (!run.truth().isEmpty() && WholeWords.contains(text, run.truth()))) {
            return List.of();
        }
        String beginning = text.substring(0, Math.min(text.length(), BEGINNING)).replace('’', '\'');
        Matcher refusal = REFUSAL.matcher(beginning);
        return refusal.find() ? List.of(Citation.of(event, text, refusal.start())) : List.of();
    }
}

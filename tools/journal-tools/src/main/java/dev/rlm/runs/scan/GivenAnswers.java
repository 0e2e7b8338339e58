package dev.rlm.runs.scan;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.List;

/** True answers that the agent was told before it had one of its own. */
final class GivenAnswers {
    private static final int MAX_ANSWER = 2_000; // characters
    private static final int UNUSUAL = 16; // characters of an answer that does not come up by chance
    private static final int BEFORE = 80; // characters in which the answer is called so
    private static final Pattern CALLED = Pattern.compile("(?i)(?:^|[^\\w])"
            + "((?:expected|correct|true|right|reference|gold(?:en)?)[ _-]*(?:final[ _-]*)?"
            + "(?:answer|solution|output|result|label)|ground[ _-]*truth|answer[ _-]*key|gold(?:en)?|expected)"
            + "[\"']?\\s*(?:for [^:=\\n]{1,40})?(?:\\bis\\b|\\bwas\\b|\\bto be\\b|\\bwould be\\b|\\bshould be\\b|[:=])"
            + "[\\s\"'`*$(\\[]*$");

    private GivenAnswers() {}

    /** Finds what calls the true answer so: the expected answer, the ground truth. */
    static List<Citation> called(ScannedRun run) {
        return given(run, run.truth(), true);
    }

    /** Finds a long and unusual true answer, whatever stands beside it: numbers are none, since a tool may compute them. */
    static List<Citation> seen(ScannedRun run) {
        String truth = run.truth();
        boolean unusual = truth.length() >= UNUSUAL && truth.chars().anyMatch(Character::isLetter);
        return unusual ? given(run, truth, false) : List.of();
    }

    private static List<Citation> given(ScannedRun run, String truth, boolean called) {
        if (truth.isEmpty() || truth.length() > MAX_ANSWER || WholeWords.contains(run.task(), truth)) {
            return List.of();
        }
        for (ScannedRun.Told told : run.told()) {
            int at = WholeWords.indexOf(told.text(), truth, 0);
            while (called && at >= 0 && !isCalled(run, told, at)) {
                at = WholeWords.indexOf(told.text(), truth, at + 1);
            }
            if (at >= 0 && run.actsAfter(told.event()) && !run.saysBefore(truth, told.event())) {
                return List.of(Citation.of(told.event(), told.text(), at));
            }
        }
        return List.of();
    }

    /** Returns whether the words before it call it the true answer, and are not the agent's own. */
    private static boolean isCalled(ScannedRun run, ScannedRun.Told told, int at) {
        Matcher called = CALLED.matcher(told.text().substring(Math.max(0, at - BEFORE), at));
        return called.find() && !run.saysBefore(called.group(1), told.event());
    }
}

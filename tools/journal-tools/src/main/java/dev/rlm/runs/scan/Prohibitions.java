package dev.rlm.runs.scan;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.List;

/** Parts of a task that forbid something. What is named there is not what the task is about. */
final class Prohibitions {
    private static final String ACTS =
            "(?:touch|chang|modif|edit|alter|remov|delet|mov|renam|overwrit|rewrit|writ|replac|updat"
                    + "|add|creat|extend|improv|refactor|adapt|port|read|open|look|access|us)\\w*";
    private static final String NOT =
            "(?:do not|don['’]t|never|(?:must|should)(?: not|n['’]t)|you (?:may not|cannot|can['’]t)"
                    + "|(?:not allowed|forbidden) to|without|avoid|refrain from)";
    private static final String LIST = "[^\\n.!?;:]*:[ \\t]*\\n(?:[ \\t]*\\S[^\\n]*(?:\\n|$))+";
    private static final String SENTENCE =
            "[^\\n]*?(?:[.!?;](?:\\s|$)|\\b(?:but|only|except|unless|instead|other than)\\b|\\n|$)";
    private static final Pattern BEFORE =
            Pattern.compile("(?i)\\b" + NOT + "\\s+(?:\\w+\\s+){0,2}" + ACTS + "(?:" + LIST + "|" + SENTENCE + ")");
    private static final Pattern BEHIND = Pattern.compile(
            "(?i)\\b(?:(?:must|may|should|shall)(?: not|n['’]t)|must never"
                    + "|(?:is|are) not to) be " + ACTS
                    + "|\\b(?:is|are|stays?|must (?:be|stay|remain)) (?:off[- ]limits|read[- ]only|forbidden|unchanged|untouched)\\b");
    private static final Pattern END = Pattern.compile("[.!?;]\\s|\\n");

    private final List<Part> parts = new ArrayList<>();

    private Prohibitions() {}

    static Prohibitions of(String task) {
        Prohibitions all = new Prohibitions();
        for (Matcher before = BEFORE.matcher(task); before.find(); ) {
            all.parts.add(new Part(before.start(), before.end()));
        }
        for (Matcher behind = BEHIND.matcher(task); behind.find(); ) {
            int start = 0;
            for (Matcher end = END.matcher(task.substring(0, behind.start())); end.find(); ) {
                start = end.end();
            }
            all.parts.add(new Part(start, behind.end()));
        }
        return all;
    }

    /** Returns whether what stands at a place is forbidden. */
    boolean cover(int place) {
        return parts.stream().anyMatch(part -> part.start <= place && place < part.end);
    }

    private record Part(int start, int end) {}
}

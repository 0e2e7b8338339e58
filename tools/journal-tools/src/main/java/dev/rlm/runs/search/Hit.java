package dev.rlm.runs.search;

import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.journal.JournalJson;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RunEvent;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.regex.Pattern;

/**
 * First match in one text of an event.
 *
 * @param step {@link RunEvent#NO_STEP} where it lies in none
 * @param field place of the text in the event
 * @param before end of the text before the match
 * @param match at least its beginning
 * @param after beginning of the text behind the match
 */
public record Hit(
        Instant time,
        String runId,
        long seq,
        int step,
        String type,
        String field,
        String before,
        String match,
        String after) {
    private static final int CONTEXT =
            160; // characters of each of the three at most, and one more where there are more
    private static final int LEAST = 40; // characters of an excerpt
    private static final String CUT = "…";
    private static final Pattern SHOWN = Pattern.compile("messages|system_instructions|tool_definitions");

    static Hit of(RunEvent event, String field, String text, TextPattern.Match match) {
        return new Hit(
                event.time(),
                event.run().runId(),
                event.seq(),
                event.step(),
                event.type().label(),
                field,
                end(text.substring(0, match.start()), CONTEXT + 1),
                beginning(text.substring(match.start(), match.end()), CONTEXT + 1),
                beginning(text.substring(match.end()), CONTEXT + 1));
    }

    private static String beginning(String text, int length) {
        int end = Math.min(text.length(), length);
        boolean halves = end < text.length() && Character.isHighSurrogate(text.charAt(end - 1));
        return text.substring(0, halves ? end - 1 : end);
    }

    private static String end(String text, int length) {
        int start = Math.max(0, text.length() - length);
        boolean halves = start > 0 && Character.isLowSurrogate(text.charAt(start));
        return text.substring(halves ? start + 1 : start);
    }

    /** Returns what is known of the text in which it is found. */
    public String text() {
        return before + "\n" + match + "\n" + after;
    }

    /** Returns whether it lies in what a call of a model is shown, as others may be shown it again. */
    public boolean isShown() {
        return type.equals(EventType.MODEL_CALLED.label())
                && SHOWN.matcher(field).lookingAt();
    }

    /** Prints it as an object on a line. */
    public void printJson(PrintWriter out) {
        JsonOutput.print(out, json -> {
            json.writeStringProperty("run_id", runId);
            json.writeNumberProperty("seq", seq);
            json.writeStringProperty("time", JournalJson.time(time));
            json.writeStringProperty("type", type);
            if (step != RunEvent.NO_STEP) {
                json.writeNumberProperty("step", step);
            }
            json.writeStringProperty("field", field);
            json.writeStringProperty("before", before);
            json.writeStringProperty("match", match);
            json.writeStringProperty("after", after);
        });
    }

    /** Returns the excerpt on one line, safe to print, cut to a width as far as it is a reasonable one. */
    public String excerpt(int width, Ink ink) {
        int room = Math.max(LEAST, Math.min(width, 2 * LEAST * 2));
        String found = beginning(match, room);
        String left = end(before, (room - found.length()) / 3);
        String right = beginning(after, room - found.length() - left.length());
        return (left.length() < before.length() ? CUT : "")
                + Printable.line(left)
                + ink.bold(ink.red(Printable.line(found)))
                + (found.length() < match.length() ? CUT : "")
                + Printable.line(right)
                + (right.length() < after.length() ? CUT : "");
    }
}

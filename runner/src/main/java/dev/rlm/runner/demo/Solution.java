package dev.rlm.runner.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A solution in GSM8K's form: text with the calculator's calls in it, {@code <<expression=result>>}, and the answer in its
 * last line, after {@code A:} or {@code ####}.
 *
 * @param calls the text in pieces, each up to and including a call
 * @param ending the text after the last call
 * @param answer what stands after the mark; {@code null} where there is no such line
 */
public record Solution(
        List<Call> calls, String ending, @Nullable String answer) {
    private static final Pattern CALL = Pattern.compile("<<([^\n]*?)>>");
    private static final Pattern ANSWER = Pattern.compile("^(?:A:|####)(.*)$", Pattern.MULTILINE);

    public Solution {
        calls = List.copyOf(calls);
    }

    /**
     * A piece that ends with a call of the calculator.
     *
     * @param text the piece
     * @param expression what is to be calculated: all before the first equals sign
     * @param result what the writer took to be the result; empty where nothing was said
     */
    public record Call(String text, String expression, String result) {}

    /** Takes the text apart. Calls that are never closed are text. */
    public static Solution parse(String text) {
        List<Call> calls = new ArrayList<>();
        int from = 0;
        for (Matcher call = CALL.matcher(text); call.find(); from = call.end()) {
            String[] sides = call.group(1).split("=", 2);
            calls.add(new Call(
                    text.substring(from, call.end()), sides[0].strip(), sides.length == 1 ? "" : sides[1].strip()));
        }
        String answer = null;
        for (Matcher line = ANSWER.matcher(text); line.find(); ) {
            answer = line.group(1).strip();
        }
        return new Solution(calls, text.substring(from), answer);
    }
}

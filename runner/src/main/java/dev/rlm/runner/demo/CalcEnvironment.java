package dev.rlm.runner.demo;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.json.Json;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import java.util.List;
import java.util.Map;

/**
 * An environment with a calculator. The agent calculates as often as it likes and then submits a number: 1 for the right
 * one, 0 for any other answer. What number a submission in words stands for is {@link Submission}'s.
 *
 * @param shaping whether a failed call of the calculator costs a tenth
 */
public record CalcEnvironment(Problem problem, boolean shaping) implements Environment {
    /** Its name. */
    public static final String NAME = "calc";

    /** The action that calculates an expression. */
    public static final String CALCULATOR = "calculator";

    /** The action that gives the answer. */
    public static final String SUBMIT = "submit";

    /** Reward of a failed call where rewards are shaped. */
    public static final double FAILED_CALL = -0.1;

    /** Description for models of {@link #SUBMIT}. */
    public static final ToolSpec SUBMIT_TOOL =
            ToolSpec.ofText(SUBMIT, "Gives the final answer, a number, and ends the episode.", "answer");

    private static final List<ToolSpec> TOOLS = List.of(
            ToolSpec.ofText(CALCULATOR, "Calculates an expression of numbers, + - * / and brackets.", "expression"),
            SUBMIT_TOOL);

    @Override
    public String start() {
        return problem.question();
    }

    @Override
    public String instructions() {
        return "Solve the problem. Let the calculator do all arithmetic, and then submit the answer: a plain number,"
                + " without units or words. Where you answer in words, end with a line '#### ' and the number.";
    }

    @Override
    public List<ToolSpec> tools() {
        return TOOLS;
    }

    @Override
    public Answer step(Action action, Step step) {
        return switch (action.type()) {
            case CALCULATOR -> calculate(action, step);
            case SUBMIT -> submit(problem, action.code());
            default -> throw new IllegalArgumentException("calc knows no action '" + action.type() + "'");
        };
    }

    @Override
    public Answer cutOff(Answer last, Step step) {
        return unanswered(last);
    }

    private Answer calculate(Action action, Step step) {
        try (ToolCall call = step.startToolCall(CALCULATOR)) {
            call.arguments(Json.text(Map.of("expression", action.code()))).callId(action.callId());
            try {
                String result = Calculator.evaluate(action.code()).toString();
                call.result(result);
                return new Answer(result, null, null, 1, false);
            } catch (CalculatorException e) {
                String error = String.valueOf(e.getMessage());
                call.fail(RunStatus.INVALID_ARGUMENT, error);
                return new Answer("", error, shaping ? FAILED_CALL : null, 1, false);
            }
        }
    }

    /** Judges an answer to a problem. */
    public static Answer submit(Problem problem, String answer) {
        boolean right =
                Submission.number(answer).filter(problem.answer()::equals).isPresent();
        return new Answer(right ? "right" : "wrong", null, right ? 1.0 : 0.0, 0, true);
    }

    /** Judges that the steps were used up without an answer: that is 0, beside what the last action was given. */
    public static Answer unanswered(Answer last) {
        return last.reward() == null ? new Answer(last.output(), last.error(), 0.0, last.toolCalls(), true) : last;
    }
}

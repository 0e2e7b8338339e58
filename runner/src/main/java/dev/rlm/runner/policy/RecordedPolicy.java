package dev.rlm.runner.policy;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.Turn;
import dev.rlm.runner.demo.CalcEnvironment;
import dev.rlm.runner.demo.Calculator;
import dev.rlm.runner.demo.CalculatorException;
import dev.rlm.runner.demo.Rational;
import dev.rlm.runner.demo.Solution;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A policy that says again what a model once said, a call of the calculator at a time. Where the result that the model
 * had in mind is not the calculator's, the step is tagged with it ({@code model_result}).
 */
public final class RecordedPolicy implements Policy {
    /** Its name, and that of the provider of its model calls. */
    public static final String NAME = "recorded";

    private final String model;
    private final Solution solution;
    private final Calculating calculating;
    private final Duration latency; // of each turn
    private final List<Consumer<ModelCall>> conversation = new ArrayList<>();
    private int calculated;

    RecordedPolicy(String model, Solution solution, Calculating calculating, Duration latency) {
        this.model = model;
        this.solution = solution;
        this.calculating = calculating;
        this.latency = latency;
    }

    @Override
    public Turn act(Observation seen, Step step) throws InterruptedException {
        String observation = seen.text();
        if (calculated == 0) {
            conversation.add(call -> call.message("user", observation));
        } else {
            String callId = lastCallId();
            conversation.add(call -> call.toolMessage(callId, observation));
        }
        try (ModelCall call = step.startModelCall(NAME, model)) {
            conversation.forEach(message -> message.accept(call));
            TimeUnit.NANOSECONDS.sleep(latency.toNanos());
            return calculated < solution.calls().size()
                    ? calculate(solution.calls().get(calculated), call, step)
                    : submit(call);
        }
    }

    private Turn calculate(Solution.Call turn, ModelCall call, Step step) {
        calculated++;
        call.reply(turn.text())
                .toolRequest(lastCallId(), calculating.tool, calculating.arguments(turn.expression()))
                .finishReason("tool_calls");
        conversation.add(next -> next.message("assistant", turn.text()));
        if (differs(turn)) {
            step.tag("model_result", turn.result());
        }
        return Turn.of(new Action(calculating.tool, calculating.code(turn.expression()), lastCallId()));
    }

    private Turn submit(ModelCall call) {
        call.reply(solution.ending()).finishReason("stop");
        String answer = solution.answer();
        return Turn.of(CalcEnvironment.SUBMIT, answer == null ? "" : answer);
    }

    private static boolean differs(Solution.Call turn) {
        try {
            Rational result = Calculator.evaluate(turn.expression());
            return Rational.parse(turn.result()).filter(result::isCloseTo).isEmpty();
        } catch (CalculatorException e) {
            return true;
        }
    }

    private String lastCallId() {
        return "call-" + calculated;
    }
}

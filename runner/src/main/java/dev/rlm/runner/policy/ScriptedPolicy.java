package dev.rlm.runner.policy;

import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.Turn;
import dev.rlm.runner.demo.CalcEnvironment;
import dev.rlm.runner.demo.Calculator;
import dev.rlm.runner.demo.Problem;
import dev.rlm.runner.demo.Rational;
import dev.rlm.runner.demo.Solution;
import dev.rlm.sinks.Step;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A policy that follows a problem's true solution and makes mistakes on the way: it slips in an expression or in its form,
 * answers wrongly, goes round in circles until its steps are used up, or breaks down.
 */
public final class ScriptedPolicy implements Policy {
    /** Its name, and that of the model that it stands for. */
    public static final String NAME = "scripted";

    private static final Pattern NUMBER = Pattern.compile("\\d+(?:\\.\\d+)?");

    private final Problem problem;
    private final Calculating calculating;
    private final RandomGenerator random; // decides on the mistakes
    private final double errorRate; // how likely each step is a mistake, from 0 to 1
    private final Duration latency; // of each step
    private final Map<Rational, String> mistaken = new HashMap<>();
    private int calculated;
    private Solution.@Nullable Call slipped;
    private boolean circling;

    /** A policy for one run in an environment with a calculator. */
    public ScriptedPolicy(Problem problem, RandomGenerator random, double errorRate, Duration latency) {
        this(problem, Calculating.BY_CALCULATOR, random, errorRate, latency);
    }

    ScriptedPolicy(
            Problem problem, Calculating calculating, RandomGenerator random, double errorRate, Duration latency) {
        this.problem = problem;
        this.calculating = calculating;
        this.random = random;
        this.errorRate = errorRate;
        this.latency = latency;
    }

    @Override
    public Turn act(Observation seen, Step step) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(latency.toNanos());
        learn(seen.text());
        Mistake mistake = mistake();
        if (mistake == Mistake.BREAK_DOWN) {
            throw new IllegalStateException("the scripted policy broke down, as scripted");
        }
        circling |= mistake == Mistake.CIRCLE;
        if (circling) {
            return calculate("1+1");
        }
        List<Solution.Call> calls = problem.solution().calls();
        return calculated < calls.size()
                ? calculate(calls.get(calculated), mistake)
                : Turn.of(CalcEnvironment.SUBMIT, answer(mistake));
    }

    private Mistake mistake() {
        if (random.nextDouble() >= errorRate) {
            return Mistake.NONE;
        }
        double kind = random.nextDouble();
        if (kind < 0.45) {
            return Mistake.MALFORMED;
        } else if (kind < 0.8) {
            return Mistake.WRONG;
        }
        return kind < 0.9 ? Mistake.CIRCLE : Mistake.BREAK_DOWN;
    }

    private Turn calculate(Solution.Call call, Mistake mistake) {
        String expression = believed(call.expression());
        if (mistake == Mistake.MALFORMED) {
            return calculate(expression + "*"); // and tries again in its next step
        }
        calculated++;
        String written = mistake == Mistake.WRONG ? expression + "+" + random.nextInt(1, 10) : expression;
        slipped = written.equals(call.expression()) ? null : call;
        return calculate(written);
    }

    private Turn calculate(String expression) {
        return Turn.of(calculating.tool, calculating.code(expression));
    }

    /** Takes the result of a slip for the true one from now on. */
    private void learn(String observation) {
        Solution.Call call = slipped;
        if (call != null) {
            Rational.parse(call.result())
                    .filter(truth -> Rational.parse(observation).isPresent())
                    .ifPresent(truth -> mistaken.put(truth, observation.strip()));
            slipped = null;
        }
    }

    private String believed(String expression) {
        return NUMBER.matcher(expression).replaceAll(number -> believed(number.group(), number.group()));
    }

    private String believed(String number, String otherwise) {
        return Rational.parse(number).map(mistaken::get).orElse(otherwise);
    }

    private String answer(Mistake mistake) {
        String truth = problem.answer().toString();
        String answer = believed(truth, truth);
        return mistake == Mistake.NONE
                ? answer
                : Calculator.evaluate(answer + "+1").toString();
    }

    private enum Mistake {
        NONE,
        MALFORMED,
        WRONG,
        CIRCLE,
        BREAK_DOWN
    }
}

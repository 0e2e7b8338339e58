package dev.rlm.runner.reward;

import dev.rlm.episodes.Observation;
import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.RewardNeed;
import dev.rlm.episodes.RewardProvider;
import dev.rlm.episodes.Trajectory;
import dev.rlm.runner.demo.Rational;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A reward function of the runner's own. It only looks at the trajectory, and so takes no time.
 *
 * @param name what it is chosen by
 * @param needs what it looks at
 */
public record BuiltInReward(String name, Set<RewardNeed> needs, RewardFunction function)
        implements RewardProvider, RewardFunction {
    /** Name of the reward that the environment gave for the final answer. */
    static final String ENVIRONMENT = "environment";

    private static final int MAX_NUMBER = 1_000; // characters; what is longer is compared as text
    private static final Pattern PLAIN_NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?");

    public BuiltInReward {
        needs = Set.copyOf(needs);
    }

    /** All of them. */
    public static List<RewardProvider> all() {
        return List.of(
                new BuiltInReward("exact", Set.of(RewardNeed.ANSWER, RewardNeed.TRUTH), BuiltInReward::exact),
                new BuiltInReward("format", Set.of(RewardNeed.ANSWER), BuiltInReward::format),
                new BuiltInReward("brevity", Set.of(RewardNeed.STEPS), BuiltInReward::brevity),
                new BuiltInReward(ENVIRONMENT, Set.of(RewardNeed.ENVIRONMENT), BuiltInReward::environment),
                new BuiltInReward("tool_error", Set.of(RewardNeed.STEPS), BuiltInReward::toolError),
                new BuiltInReward("step", Set.of(), trajectory -> 1));
    }

    @Override
    public RewardFunction create() {
        return this;
    }

    @Override
    public double reward(Trajectory trajectory) throws Exception {
        return function.reward(trajectory);
    }

    /** Returns 1 if the answer is the sample's true one, as a number if both are numbers; else 0. */
    private static double exact(Trajectory trajectory) throws RewardAbsentException {
        String truth = trajectory
                .sample()
                .truth()
                .orElseThrow(() -> new RewardAbsentException("the sample has no true answer"));
        String answer = trajectory.finalAnswer();
        return answer != null && isSame(answer, truth) ? 1 : 0;
    }

    private static boolean isSame(String answer, String truth) {
        Optional<Rational> number = number(answer);
        Optional<Rational> trueNumber = number(truth);
        boolean bothNumbers = number.isPresent() && trueNumber.isPresent();
        return bothNumbers ? number.equals(trueNumber) : answer.strip().equals(truth.strip());
    }

    private static Optional<Rational> number(String text) {
        return text.length() > MAX_NUMBER ? Optional.empty() : Rational.parse(text);
    }

    /** Returns 1 if the answer has no other text, else 0: it is a plain number if the true one is a number, else one line. */
    private static double format(Trajectory trajectory) {
        String answer = trajectory.finalAnswer();
        if (answer == null) {
            return 0;
        }
        boolean asNumber =
                trajectory.sample().truth().flatMap(BuiltInReward::number).isPresent();
        boolean asAsked = asNumber ? PLAIN_NUMBER.matcher(answer).matches() : isOneLine(answer);
        return asAsked ? 1 : 0;
    }

    private static boolean isOneLine(String text) {
        return !text.isEmpty() && text.equals(text.strip()) && text.lines().count() == 1;
    }

    /** The share of the allowed steps that were used. */
    private static double brevity(Trajectory trajectory) throws RewardAbsentException {
        if (trajectory.maxSteps() == 0) { // as recorded runs of other programs may have it
            throw new RewardAbsentException("the run has no step limit");
        }
        return (double) trajectory.steps().size() / trajectory.maxSteps();
    }

    private static double environment(Trajectory trajectory) throws RewardAbsentException {
        double sum = 0;
        for (Observation.Done done : trajectory.lastStep().orElse(List.of())) {
            Double reward = done.answer().done() ? done.answer().reward() : null;
            if (reward != null && Double.isNaN(reward) && done.answer().error() != null) {
                throw new RewardAbsentException(done.answer().error());
            }
            sum += reward == null ? 0 : reward;
        }
        return sum;
    }

    /** Returns 1 if an action of the last step failed, else 0. */
    private static double toolError(Trajectory trajectory) {
        return trajectory.lastStep().orElse(List.of()).stream()
                        .anyMatch(done -> done.answer().error() != null)
                ? 1
                : 0;
    }
}

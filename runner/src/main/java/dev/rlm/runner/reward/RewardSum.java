package dev.rlm.runner.reward;

import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.Score;
import dev.rlm.episodes.Trajectory;
import dev.rlm.runner.plugin.BoundedCalls;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A reward that is the sum of weighted components. Safe for use by several threads. */
public final class RewardSum {
    private final List<Component> components;
    private final BoundedCalls calls;

    RewardSum(List<Component> components, BoundedCalls calls) {
        this.components = List.copyOf(components);
        this.calls = calls;
    }

    /** Returns whether no reward is asked for. */
    public boolean isEmpty() {
        return components.isEmpty();
    }

    /** Returns whether its computation takes no time that is worth a record. */
    public boolean isInstant() {
        return components.stream().allMatch(Component::isInstant);
    }

    /**
     * Computes it: of all components, or, where one comes to no value, of none.
     *
     * @throws InterruptedException if this thread is interrupted
     */
    public Judgement judge(Trajectory trajectory) throws InterruptedException {
        List<RewardComponent> parts = new ArrayList<>();
        for (Component component : components) {
            try {
                parts.addAll(parts(component, trajectory));
            } catch (RewardAbsentException e) {
                return Judgement.absent(component.name() + ": " + e.getMessage());
            }
        }
        return sum(parts);
    }

    private List<RewardComponent> parts(Component component, Trajectory trajectory)
            throws InterruptedException, RewardAbsentException {
        Score score = score(component, trajectory);
        if (Double.isNaN(score.value())) {
            throw new RewardAbsentException("NaN");
        }
        List<RewardComponent> parts = new ArrayList<>();
        parts.add(new RewardComponent(component.name(), score.value(), component.weight(), null));
        score.parts()
                .forEach((name, part) -> parts.add(new RewardComponent(component.name() + "/" + name, part, 0, null)));
        return parts;
    }

    @SuppressWarnings("CatchThrowable") // whatever a function throws, it is the reward that is absent
    private Score score(Component component, Trajectory trajectory) throws InterruptedException, RewardAbsentException {
        try {
            return component.isInstant()
                    ? component.function().score(trajectory)
                    : bounded(component.function(), trajectory);
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable e) {
            throw RewardAbsentException.of(e);
        }
    }

    private Score bounded(RewardFunction function, Trajectory trajectory)
            throws InterruptedException, RewardAbsentException {
        if (!calls.hasRoom()) {
            throw new RewardAbsentException(
                    "it was not computed: " + BoundedCalls.MAX_LEFT + " computations hang already");
        }
        return calls.call(
                () -> function.score(trajectory),
                RewardAbsentException::of,
                limit -> new RewardAbsentException("it took longer than " + limit));
    }

    /** Returns the weighted sum, absent if it is NaN. A component of weight 0 adds nothing, even if it is infinite. */
    private Judgement sum(List<RewardComponent> parts) {
        double sum = 0;
        for (RewardComponent part : parts) {
            sum += part.weight() == 0 ? 0 : part.weight() * part.value();
        }
        return Double.isNaN(sum)
                ? Judgement.absent("the components' sum is NaN: " + text(parts))
                : new Judgement(sum, null, parts, isInstant() ? RewardGiven.Kind.CODE : null);
    }

    private static String text(List<RewardComponent> parts) {
        return parts.stream()
                .map(part -> part.name() + "=" + part.value() + "×" + part.weight())
                .collect(Collectors.joining(", "));
    }

    /** The components as the user would write them. */
    @Override
    public String toString() {
        return components.stream()
                .map(component -> component.name() + "=" + component.weight())
                .collect(Collectors.joining(","));
    }

    /**
     * A reward function with its weight.
     *
     * @param name what the user chose it by
     */
    record Component(String name, double weight, RewardFunction function) {
        /** Returns whether it only looks at the trajectory and so needs no time limit. */
        boolean isInstant() {
            return function instanceof BuiltInReward;
        }
    }
}

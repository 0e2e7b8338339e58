package dev.rlm.runner.reward;

import dev.rlm.episodes.Score;
import dev.rlm.episodes.Trajectory;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A reward that is the sum of weighted components. Safe for use by several threads. */
final class RewardSum {
    static final RewardSum NONE = new RewardSum(List.of(), new RewardThreads(Duration.ZERO));

    private final List<Component> components;
    private final RewardThreads threads;

    RewardSum(List<Component> components, RewardThreads threads) {
        this.components = List.copyOf(components);
        this.threads = threads;
    }

    /** Whether no reward is asked for. */
    boolean isEmpty() {
        return components.isEmpty();
    }

    /** Whether it takes no time that is worth a record. */
    boolean isInstant() {
        return components.stream().allMatch(Component::isInstant);
    }

    /**
     * Computes it: of all components, or, where one comes to no value, of none.
     *
     * @throws InterruptedException if this thread is interrupted
     */
    Judgement judge(Trajectory trajectory) throws InterruptedException {
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

    @SuppressWarnings("CatchThrowable") // whatever a function throws, it is the reward that is absent
    private List<RewardComponent> parts(Component component, Trajectory trajectory)
            throws InterruptedException, RewardAbsentException {
        Score score;
        try {
            score = component.isInstant()
                    ? component.function().score(trajectory)
                    : threads.compute(component.function(), trajectory);
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable e) {
            throw RewardAbsentException.of(e);
        }
        if (Double.isNaN(score.value())) {
            throw new RewardAbsentException("NaN");
        }
        List<RewardComponent> parts = new ArrayList<>();
        parts.add(new RewardComponent(component.name(), score.value(), component.weight(), null));
        score.parts()
                .forEach((name, part) -> parts.add(new RewardComponent(component.name() + "/" + name, part, 0, null)));
        return parts;
    }

    /** What has no weight adds nothing, be it infinite. */
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
}

package dev.rlm.runner.reward;

import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.RewardNeed;
import dev.rlm.episodes.RewardProvider;
import dev.rlm.episodes.Score;
import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.Trajectory;
import dev.rlm.sinks.traced.Traced;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.slf4j.MDC;

/** A plug-in's reward function that does what {@code --set probe.does=…} says, and keeps in which span it was called. */
public final class ProbeReward implements RewardProvider {
    static final Queue<String> SPANS = new ConcurrentLinkedQueue<>();

    private static final Function<String, String> JUDGE = Traced.tool("judge", answer -> "fine: " + answer);

    private String does = "1";

    @Override
    public String name() {
        return "probe";
    }

    @Override
    public void open(Map<String, String> settings) {
        if (!List.of("does").containsAll(settings.keySet())) {
            throw new SetupException("probe has the setting 'does'");
        }
        does = settings.getOrDefault("does", does);
    }

    @Override
    public RewardFunction create() {
        return new RewardFunction() {
            @Override
            public double reward(Trajectory trajectory) throws Exception {
                return ProbeReward.this.reward(trajectory);
            }

            @Override
            public Score score(Trajectory trajectory) throws Exception {
                return does.equals("parts")
                        ? new Score(0.5, new TreeMap<>(Map.of("style", 0.25, "content", 0.75)))
                        : RewardFunction.super.score(trajectory);
            }

            @Override
            public Set<RewardNeed> needs() {
                return does.equals("tokens") ? Set.of(RewardNeed.TOKENS) : RewardFunction.super.needs();
            }
        };
    }

    private double reward(Trajectory trajectory) throws Exception {
        SPANS.add(String.valueOf(MDC.get("span_id")));
        switch (does) {
            case "throw" -> throw new IllegalStateException("no judge");
            case "throw oddly" -> throw new OddException();
            case "overflow" -> throw new StackOverflowError();
            case "wait" -> new CountDownLatch(1).await();
            case "nap" -> Thread.sleep(2);
            case "call" -> {
                return JUDGE.apply(String.valueOf(trajectory.finalAnswer())).isEmpty() ? 0 : 1;
            }
            case "tokens" -> {
                return trajectory.tokens().stream()
                        .mapToInt(tokens -> tokens.responseIds().size())
                        .sum();
            }
            case "hang" -> hang();
            default -> {
                return Double.parseDouble(does);
            }
        }
        return 1;
    }

    private static void hang() {
        for (CountDownLatch never = new CountDownLatch(1); ; ) {
            try {
                never.await();
            } catch (InterruptedException e) {
                // heeds nothing
            }
        }
    }

    private static final class OddException extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("not even that");
        }
    }
}

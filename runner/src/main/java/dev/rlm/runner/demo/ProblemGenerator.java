package dev.rlm.runner.demo;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/** Makes word problems of two to four calculations from a seed. */
public final class ProblemGenerator {
    private static final List<String> NAMES = List.of("Ada", "Bruno", "Chidi", "Dana", "Emre", "Femi", "Greta", "Hana");
    private static final List<String> THINGS = List.of("apples", "books", "coins", "pencils", "shells", "stamps");
    private static final int MIN_STORIES = 2;
    private static final int MAX_STORIES = 4;

    private final RandomGenerator random;
    private final String name;
    private final String things;
    private final StringBuilder question = new StringBuilder();
    private final StringBuilder solution = new StringBuilder();
    private int count;

    private ProblemGenerator(RandomGenerator random) {
        this.random = random;
        this.name = oneOf(NAMES);
        this.things = oneOf(THINGS);
        this.count = random.nextInt(5, 50);
    }

    /** So many problems. The first ones are the same however many there are. */
    public static List<Problem> generate(long seed, int problems) {
        return IntStream.rangeClosed(1, problems)
                .mapToObj(index -> new ProblemGenerator(new SplittableRandom(seed * 1_000_003 + index))
                        .problem("calc-" + seed + "-" + index, index))
                .toList();
    }

    private Problem problem(String id, int index) {
        question.append("%s has %d %s.".formatted(name, count, things));
        int stories = random.nextInt(MIN_STORIES, MAX_STORIES + 1);
        for (int i = 0; i < stories; i++) {
            story();
        }
        question.append(" How many %s does %s have now?".formatted(things, name));
        solution.append("A: ").append(count);
        Rational answer = Rational.of(BigDecimal.valueOf(count));
        return new Problem(id, index, question.toString(), Solution.parse(solution.toString()), answer, Map.of());
    }

    private void story() {
        switch (random.nextInt(4)) {
            case 0 -> gain();
            case 1 -> lose();
            case 2 -> multiply();
            default -> share();
        }
    }

    private void gain() {
        int more = random.nextInt(2, 40);
        tell(" %d more are a present.", '+', more, count + more);
    }

    private void lose() {
        if (count == 1) {
            gain();
            return;
        }
        int fewer = random.nextInt(1, count);
        tell(" %d are lost.", '-', fewer, count - fewer);
    }

    private void multiply() {
        int times = random.nextInt(2, 5);
        tell(" A trade brings %d for each one.", '*', times, count * times);
    }

    private void share() {
        List<Integer> divisors = IntStream.rangeClosed(2, count / 2)
                .filter(divisor -> count % divisor == 0)
                .boxed()
                .toList();
        if (divisors.isEmpty()) {
            gain();
            return;
        }
        int friends = oneOf(divisors);
        String sentence = " They are put into %d equal bags, and all bags but one are given away.";
        tell(sentence, '/', friends, count / friends);
    }

    private void tell(String sentence, char operator, int number, int result) {
        question.append(sentence.formatted(number));
        String call = "%d%c%d".formatted(count, operator, number);
        solution.append("%s=<<%s=%d>>%d\n".formatted(call, call, result, result));
        count = result;
    }

    private <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}

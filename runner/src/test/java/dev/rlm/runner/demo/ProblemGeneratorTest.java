package dev.rlm.runner.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProblemGeneratorTest {
    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 1, 2, 3, Long.MAX_VALUE})
    void problems_areSolvedByTheirSolutions(long seed) throws Exception {
        for (Problem problem : ProblemGenerator.generate(seed, 500)) {
            Rational last = null;
            for (Solution.Call call : problem.solution().calls()) {
                last = Calculator.evaluate(call.expression());
                assertThat(last).hasToString(call.result());
            }
            assertThat(problem.solution().calls()).hasSizeBetween(2, 4);
            assertThat(problem.answer())
                    .isEqualTo(last)
                    .hasToString(problem.solution().answer());
        }
    }

    @Test
    void problem_hangsOnTheSeedAndItsPlaceOnly() {
        assertThat(ProblemGenerator.generate(7, 100).subList(0, 10)).isEqualTo(ProblemGenerator.generate(7, 10));
        assertThat(ProblemGenerator.generate(7, 10)).isNotEqualTo(ProblemGenerator.generate(8, 10));
    }
}

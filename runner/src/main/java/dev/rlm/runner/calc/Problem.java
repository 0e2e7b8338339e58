package dev.rlm.runner.calc;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A question whose answer is a number.
 *
 * @param id stable: the same question has the same id in every job
 * @param row its line in the data set, or its place among the generated ones; from 1
 * @param solution the true one
 * @param answer the true one
 * @param recorded what models have answered, by model in the order of the data set
 */
public record Problem(
        String id, int row, String question, Solution solution, Rational answer, Map<String, Solution> recorded) {
    public Problem {
        recorded = Collections.unmodifiableMap(new LinkedHashMap<>(recorded));
    }
}

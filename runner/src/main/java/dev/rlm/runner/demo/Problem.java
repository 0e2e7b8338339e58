package dev.rlm.runner.demo;

import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
        String id, int row, String question, Solution solution, Rational answer, Map<String, Solution> recorded)
        implements Sample {
    public Problem {
        recorded = Collections.unmodifiableMap(new LinkedHashMap<>(recorded));
    }

    /** Returns those of a file in GSM8K's format, or generated ones. */
    public static Samples samples(SampleRequest request) {
        Path file = request.dataset();
        if (file == null) {
            return new Samples(ProblemGenerator.generate(request.seed(), request.count()), List.of());
        }
        DataSet read = DataSetReader.read(file, request.skipBadLines());
        return new Samples(read.problems(), read.badLines());
    }

    @Override
    public String task() {
        return question;
    }

    @Override
    public Optional<String> truth() {
        return Optional.of(answer.toString());
    }
}

package dev.rlm.runner.demo;

import dev.rlm.episodes.Environment;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import java.util.Map;

/**
 * Makes environments with a calculator.
 *
 * @param shaping whether a failed call of the calculator costs a tenth
 */
public record CalcEnvironmentProvider(boolean shaping) implements EnvironmentProvider {
    @Override
    public String name() {
        return CalcEnvironment.NAME;
    }

    @Override
    public Samples samples(SampleRequest request) {
        return Problem.samples(request);
    }

    @Override
    public Environment create(Sample sample) {
        return new CalcEnvironment((Problem) sample, shaping);
    }

    @Override
    public Map<String, Object> params() {
        return Map.of("shaping", shaping);
    }
}

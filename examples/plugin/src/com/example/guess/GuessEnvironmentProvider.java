package com.example.guess;

import dev.rlm.episodes.Environment;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import dev.rlm.episodes.SetupException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Makes environments in which a number is to be guessed: {@code --env guess}, {@code --set guess.max=1000}. */
public final class GuessEnvironmentProvider implements EnvironmentProvider {
    private int max = 100;

    @Override
    public String name() {
        return "guess";
    }

    @Override
    public void open(Map<String, String> settings) {
        settings.forEach((key, value) -> {
            if (!key.equals("max") || !value.matches("[1-9]\\d{0,8}")) {
                throw new SetupException("--set guess." + key + "=" + value + " is not valid: expected guess.max=NUMBER");
            }
            max = Integer.parseInt(value);
        });
    }

    @Override
    public Samples samples(SampleRequest request) {
        if (request.dataset() != null) {
            throw new SetupException("--env guess reads no --dataset");
        }
        SplittableRandom random = new SplittableRandom(request.seed());
        return new Samples(
                IntStream.rangeClosed(1, request.count())
                        .mapToObj(row -> new Secret(row, random.nextInt(1, max + 1), max))
                        .toList(),
                List.of());
    }

    @Override
    public Environment create(Sample sample) {
        return new GuessEnvironment((Secret) sample);
    }

    @Override
    public Map<String, Object> params() {
        return Map.of("max", max);
    }
}

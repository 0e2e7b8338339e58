package com.example.guess;

import dev.rlm.episodes.Sample;
import java.util.Optional;

/**
 * A sample: a number to be guessed.
 *
 * @param max the number is from 1 to that
 */
record Secret(int row, int number, int max) implements Sample {
    @Override
    public String id() {
        return "guess-" + max + "-" + number;
    }

    @Override
    public String task() {
        return "I think of a number from 1 to " + max + ". Which one is it?";
    }

    @Override
    public Optional<String> truth() {
        return Optional.of(String.valueOf(number));
    }
}

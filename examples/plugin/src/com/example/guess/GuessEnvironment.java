package com.example.guess;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.sinks.Step;
import java.util.List;

/** Says of each guess whether the number is higher or lower; the right guess ends the episode. */
final class GuessEnvironment implements Environment {
    private final Secret secret;

    GuessEnvironment(Secret secret) {
        this.secret = secret;
    }

    @Override
    public String start() {
        return secret.task();
    }

    @Override
    public String instructions() {
        return "Guess the number with as few guesses as you can.";
    }

    @Override
    public List<ToolSpec> tools() {
        return List.of(ToolSpec.ofText("guess", "Guesses a number.", "number"));
    }

    /** What a model says without calling the tool is a guess, too. */
    @Override
    public Action understand(String words) {
        return new Action("guess", words);
    }

    @Override
    public Answer step(Action action, Step step) {
        int guess;
        try {
            guess = Integer.parseInt(action.code().strip());
        } catch (NumberFormatException e) {
            return new Answer("", "'" + action.code() + "' is not a number", null, 0, false);
        }
        if (guess == secret.number()) {
            return new Answer("right", null, 1.0, 0, true);
        }
        return new Answer(guess < secret.number() ? "higher" : "lower", null, null, 0, false);
    }

    /** The number was not found: without this the run would have no reward, and be neither solved nor unsolved. */
    @Override
    public Answer cutOff(Answer last, Step step) {
        return new Answer(last.output(), last.error(), 0.0, last.toolCalls(), true);
    }
}

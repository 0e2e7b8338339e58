package dev.rlm.benchmarks.figure;

import java.util.List;

/**
 * One thing that is measured.
 *
 * @param number of the goal that it belongs to; several may belong to one
 * @param title the measurement in words, for people
 * @param contenders the ways to do it, measured in turn
 * @param goals values to show, and their bounds
 * @param mostRounds number of rounds that are worth measuring
 */
public record Figure(int number, String title, List<Contender> contenders, List<Goal> goals, int mostRounds) {
    public Figure(int number, String title, List<Contender> contenders, List<Goal> goals) {
        this(number, title, contenders, goals, Integer.MAX_VALUE);
    }

    public Figure {
        contenders = List.copyOf(contenders);
        goals = List.copyOf(goals);
    }

    /** The same where it counts something: it comes to the same in each round. */
    public Figure once() {
        return atMostRounds(1);
    }

    /** The same where more rounds would tell little more. */
    public Figure atMostRounds(int rounds) {
        return new Figure(number, title, contenders, goals, rounds);
    }
}

package dev.rlm.benchmarks.figure;

import java.util.List;

/**
 * One thing that is measured.
 *
 * @param number of the goal that it belongs to; several may belong to one
 * @param title what is measured, for people
 * @param contenders the ways to do it, measured in turn
 * @param goals what is aimed at
 */
public record Figure(int number, String title, List<Contender> contenders, List<Goal> goals) {
    public Figure {
        contenders = List.copyOf(contenders);
        goals = List.copyOf(goals);
    }
}

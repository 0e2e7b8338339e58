package dev.rlm.runner.demo;

import java.util.List;

/**
 * The problems of a file.
 *
 * @param badLines what was wrong with each line that was passed over
 */
public record DataSet(List<Problem> problems, List<String> badLines) {
    public DataSet {
        problems = List.copyOf(problems);
        badLines = List.copyOf(badLines);
    }
}

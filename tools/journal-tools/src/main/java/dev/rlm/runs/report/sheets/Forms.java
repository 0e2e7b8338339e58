package dev.rlm.runs.report.sheets;

import dev.rlm.cli.UsageException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A report in each of the forms in which it can be printed. */
public interface Forms {
    /** Prints the report for people. */
    void print(Sheet sheet);

    /** Returns the report as one object. */
    NamedFigures json();

    /** Returns the lines of one table. The first has no values and gives the head. */
    Stream<NamedFigures> csv();

    /** Returns remarks on unreadable and lost data, to be printed beside the forms for programs. */
    List<String> damage();

    /**
     * Returns why the command is to fail, as {@code --fail-on} asks, in one line; empty where it is not.
     *
     * @throws UsageException if nothing was there to tell it by
     */
    default Optional<String> failure() {
        return Optional.empty();
    }
}

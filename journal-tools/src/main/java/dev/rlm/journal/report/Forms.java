package dev.rlm.journal.report;

import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** A report in each of the forms in which it can be printed. */
interface Forms {
    /** Prints the report for people. */
    void print(Sheet sheet);

    /** Returns the report as one object. */
    Fields json();

    /** Returns the lines of one table. The first has no values and gives the head. */
    Stream<Fields> csv();

    /** Returns remarks on unreadable and lost data, to be printed beside the forms for programs. */
    List<String> damage();

    /** Returns the exit code of the command. */
    default int exitCode() {
        return CommandLine.ExitCode.OK;
    }
}

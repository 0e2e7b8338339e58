package dev.rlm.journal.report;

import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** A report in each of the forms in which it can be printed. */
interface Forms {
    /** For people. */
    void print(Sheet sheet);

    /** As one object. */
    Fields json();

    /** As the lines of one table; the first, which gives its head, is of nothing. */
    Stream<Fields> csv();

    /** What could not be read or was lost before, to be said beside the forms for programs. */
    List<String> damage();

    /** Returns the exit code of the command. */
    default int exitCode() {
        return CommandLine.ExitCode.OK;
    }
}

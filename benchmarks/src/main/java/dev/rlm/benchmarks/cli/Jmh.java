package dev.rlm.benchmarks.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** JMH's own command line. */
@Command(name = "jmh", description = "Runs the JMH benchmarks; arguments after -- are JMH's, -h lists them.")
final class Jmh implements Callable<Integer> {
    @Parameters(paramLabel = "ARGUMENT", description = "Of JMH.")
    private List<String> arguments = List.of();

    @Override
    public Integer call() throws Exception {
        org.openjdk.jmh.Main.main(arguments.toArray(new String[0]));
        return 0;
    }
}

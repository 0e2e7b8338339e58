package dev.rlm.benchmarks.job;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The least that a program with a command line does. */
@Command(name = "empty", mixinStandardHelpOptions = true)
final class EmptyProgram implements Runnable {
    private EmptyProgram() {}

    @Override
    public void run() {
        System.out.println("nothing");
    }

    public static void main(String[] args) {
        System.exit(new CommandLine(new EmptyProgram()).execute(args));
    }
}

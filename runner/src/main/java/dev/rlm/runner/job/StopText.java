package dev.rlm.runner.job;

import dev.rlm.cli.Console;
import dev.rlm.cli.Shell;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.runner.episode.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Tells why a job has stopped before its end, what is left of it, and how to go on.
 *
 * @param redaction takes secrets out of a text
 */
record StopText(Console console, Job job, Summary summary, UnaryOperator<String> redaction) {
    private static final String RESUME = "--resume";

    void print() {
        Figures all = summary.all();
        String counts = (all.completed() + all.failed()) + " runs had ended, " + all.aborted() + " were aborted, "
                + summary.extent().notStarted() + " were not started";
        say((job.wasInterrupted() ? "interrupted: " : "stopped, since too many runs have failed: ") + counts);
        job.fatal().forEach(this::say);
    }

    private void say(Job.Failure failure) {
        say("failed: run " + failure.runId() + ": " + redaction.apply(failure.error()));
    }

    /** Says it where something is left to do. */
    void printHowToGoOn(List<String> arguments) {
        if (job.ended() < job.size()) {
            List<String> command = new ArrayList<>(List.of(console.program()));
            command.addAll(arguments);
            if (arguments.stream().noneMatch(word -> word.equals(RESUME) || word.startsWith(RESUME + "="))) {
                command.add(RESUME);
            }
            say("to go on: " + redaction.apply(Shell.line(command)));
        }
    }

    private void say(String line) {
        console.err().println(Printable.line(line));
        console.err().flush();
    }
}

package dev.rlm.runs;

import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.recorded.LastRun;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.event.RunEvent;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that compares two runs. */
@Command(
        name = "diff",
        description = "Compares two runs: their facts, then their steps side by side.",
        mixinStandardHelpOptions = true)
public final class DiffCommand extends JournalVerb {
    @Parameters(
            index = "0",
            paramLabel = "RUN",
            completionCandidates = LastRun.class,
            description = "This side: the id of the run, its beginning, or the id of its rollout; last for the run that"
                    + " started last.")
    @SuppressWarnings("NullAway.Init") // set before call()
    private String here;

    @Parameters(
            index = "1",
            paramLabel = "RUN",
            completionCandidates = LastRun.class,
            description = "The other side, named in the same way.")
    @SuppressWarnings("NullAway.Init") // set before call()
    private String there;

    @Option(
            names = "--against",
            paramLabel = "DIR",
            description = "Folder of another journal, in which the second run is.")
    private @Nullable Path other;

    @Option(names = "--full", description = "Cut no text.")
    private boolean full;

    @Option(names = "--json", description = "One JSON object with the facts, then one a line and step.")
    private boolean json;

    @Override
    protected int execute() {
        if (other != null && other.toString().isBlank()) {
            throw new SinkConfigException("--against is empty: expected a folder");
        }
        Journal journal = open();
        RunSide left = side(journal, here);
        RunSide right = side(other == null ? journal : Journal.open(other, index()), there);
        RunDiff diff = RunDiff.of(left, right);
        if (json) {
            DiffJson.print(diff, out());
        } else {
            new DiffPrinter(out(), ink(), full ? TextLimits.FULL : TextLimits.SHORT).print(diff);
        }
        out().flush();
        return CommandLine.ExitCode.OK;
    }

    private RunSide side(Journal journal, String name) {
        RunSummary run = journal.run(name);
        List<RunEvent> events = journal.events(run.runId());
        String missing = Shown.missing(run, events);
        if (!missing.isEmpty()) {
            err().println("run " + run.runId() + ": " + missing);
        }
        return RunSide.of(run, events);
    }
}

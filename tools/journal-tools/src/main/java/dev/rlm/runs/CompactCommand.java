package dev.rlm.runs;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.journal.maintenance.JournalCompacted;
import dev.rlm.journal.maintenance.JournalCompaction;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonGenerator;

/** The command that merges the folders of writers that do not live. */
@Command(
        name = "compact",
        description = "Merges the small folders of processes that have ended, so that a journal of many is read fast."
                + " Killed processes are recovered first. Nothing that was recorded is lost.",
        mixinStandardHelpOptions = true)
public final class CompactCommand extends JournalVerb {
    @Option(names = "--dry-run", description = "Say what would be merged, and change nothing.")
    private boolean dryRun;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    protected int execute() throws Exception {
        JournalCompaction compaction = new JournalCompaction(directory(), index());
        if (dryRun) {
            print("merge", compaction.plan());
            return CommandLine.ExitCode.OK;
        }
        return interruptibly(() -> compact(compaction));
    }

    private int compact(JournalCompaction compaction) {
        JournalCompacted compacted;
        try (Progress ignored = progress(() ->
                compaction.written() + " folders have been merged, and " + compaction.deleted() + " of them deleted")) {
            compacted = compaction.compact();
        }
        boolean interrupted = Thread.interrupted() || compacted.interrupted();
        print("merged", compacted);
        compacted.problems().forEach(console()::error);
        if (interrupted) {
            console().error("interrupted: nothing is lost; rlm compact does the rest");
            return Interruption.EXIT_CODE;
        }
        return compacted.problems().isEmpty() ? CommandLine.ExitCode.OK : 1;
    }

    private void print(String name, JournalCompacted compacted) {
        if (json) {
            JsonOutput.print(out(), generator -> write(generator, compacted));
        } else {
            line(name, compacted.folders() == 0 ? "nothing" : Counted.of(compacted.folders(), "folder"));
            compacted.into().forEach(folder -> line("into", folder.toString()));
            left(compacted.living(), "a process still writes there");
            left(compacted.unrecovered(), "of killed processes; these are recovered first");
            left(compacted.large(), "of 64 MiB or more");
            compacted.left().forEach(reason -> line("left", reason));
        }
        out().flush();
    }

    private void left(int count, String reason) {
        if (count > 0) {
            line("left", Counted.of(count, "folder") + ": " + reason);
        }
    }

    private void line(String name, String text) {
        out().println(Printable.line("%-8s %s".formatted(name, text)));
    }

    private static void write(JsonGenerator generator, JournalCompacted compacted) {
        generator.writeNumberProperty("folders", compacted.folders());
        generator.writeNumberProperty("living", compacted.living());
        generator.writeNumberProperty("unrecovered", compacted.unrecovered());
        generator.writeNumberProperty("large", compacted.large());
        generator.writeBooleanProperty("interrupted", compacted.interrupted());
        texts(generator, "into", compacted.into());
        texts(generator, "left", compacted.left());
        texts(generator, "problems", compacted.problems());
    }

    private static void texts(JsonGenerator generator, String name, List<?> texts) {
        generator.writeArrayPropertyStart(name);
        texts.forEach(text -> generator.writeString(text.toString()));
        generator.writeEndArray();
    }
}

package dev.rlm.runs;

import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.recorded.LastRun;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalJson;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.RunTail;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that shows one run of a journal. */
@Command(
        name = "show",
        description = "Shows one run of a journal: as a tree, as a conversation or its tool calls; also while it runs.",
        mixinStandardHelpOptions = true)
public final class ShowCommand extends JournalVerb {
    private static final long POLL_MILLIS = 100;

    @Parameters(
            paramLabel = "RUN",
            completionCandidates = LastRun.class,
            description = "The id of the run, its beginning, or the id of its rollout; last for the run that"
                    + " started last.")
    @SuppressWarnings("NullAway.Init") // set before call()
    private String run;

    @ArgGroup
    private @Nullable Form form;

    @Option(names = "--follow", description = "Go on while the run does.")
    private boolean follow;

    @Option(names = "--full", description = "Cut no text.")
    private boolean full;

    @Override
    protected int execute() throws InterruptedException {
        Journal journal = open();
        RunSummary summary = journal.run(run);
        RunView view = view();
        view.begin(summary);
        if (follow) {
            follow(journal.follow(summary.runId()), view);
        } else {
            show(summary, journal.events(summary.runId()), view);
        }
        return CommandLine.ExitCode.OK;
    }

    private RunView view() {
        PrintWriter out = out();
        Ink ink = ink();
        TextLimits textLimits = full ? TextLimits.FULL : TextLimits.SHORT;
        if (form == null) {
            return new TreeView(out, ink, textLimits);
        } else if (form.messages) {
            return new ConversationView(out, ink, textLimits);
        }
        return form.tools
                ? new ToolsView(out, ink, textLimits, full ? TerminalWidth.UNLIMITED : TerminalWidth.ofOutput())
                : event -> out.println(Printable.json(JournalJson.event(event)));
    }

    private void show(RunSummary summary, List<RunEvent> events, RunView view) {
        view.replay(events);
        view.finish();
        out().flush();
        String missing = Shown.missing(summary, events);
        if (!missing.isEmpty()) {
            err().println(missing);
        }
    }

    /** Polls: no notice of a file's growth is the same on all systems. */
    private void follow(RunTail tail, RunView view) throws InterruptedException {
        PrintWriter out = out();
        boolean live = true;
        boolean ended = false;
        while (live && !ended && !out.checkError()) {
            live = tail.isLive();
            for (RunEvent event : tail.poll()) {
                view.accept(event);
                ended |= event instanceof RunEnded;
            }
            if (live && !ended) {
                out.flush();
                Thread.sleep(POLL_MILLIS);
            }
        }
        view.finish();
        out.flush();
        if (!ended && !live) {
            err().println("the run has no end, and its writer has died");
        }
    }

    /** The forms to choose one of; a tree unless given. */
    private static final class Form {
        @Option(names = "--messages", description = "As a conversation.")
        private boolean messages;

        @Option(names = "--tools", description = "Its tool calls as a table.")
        private boolean tools;

        @Option(names = "--json", description = "Its events, one JSON object a line.")
        @SuppressWarnings("unused") // what is left
        private boolean json;
    }
}

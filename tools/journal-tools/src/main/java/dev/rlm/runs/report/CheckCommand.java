package dev.rlm.runs.report;

import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.recorded.LimitOption;
import dev.rlm.cli.terminal.Table;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.journal.WriterStatus;
import dev.rlm.sinks.event.LedgerReported.SinkLedger;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code check}: tells whether a journal has everything that was recorded. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description =
                "Tells whether a journal is complete: events that runs lack, damaged lines, losses, killed writers.",
        footer = "Exit code 0 where it is complete, 1 where events are missing or nothing is known of them.")
public final class CheckCommand extends JournalVerb {
    private static final int MOST = 100;

    @Mixin
    private final LimitOption limit = new LimitOption();

    @Option(names = "--json", description = "One JSON object, and nothing else.")
    private boolean json;

    @Override
    protected int execute() throws Exception {
        return interruptibly(this::check);
    }

    private int check() {
        RecordCheck check = RecordCheck.of(open());
        int most = limit.most(MOST);
        if (json) {
            check.fields(directory().toString(), most).printJson(out());
        } else {
            print(check, most);
        }
        out().flush();
        return check.verdict() == RecordCheck.Verdict.COMPLETE ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private void print(RecordCheck check, int most) {
        out().println(check.statement());
        Table writers =
                new Table(List.of("writer", "state", "last ledger", "offered", "delivered", "lost"), Set.of(3, 4, 5));
        check.writers().forEach(writer -> writers.row(cells(writer)));
        print(writers);
        if (!check.incomplete().isEmpty()) {
            out().println();
            Table runs = new Table(List.of("run", "events", "missing", "numbers"), Set.of(1, 2)).cut("numbers");
            check.incomplete().stream()
                    .limit(most)
                    .forEach(run -> runs.row(
                            run.runId(), text(run.events()), text(run.missingEvents()), RecordCheck.gaps(run)));
            print(runs);
            if (check.incomplete().size() > most) {
                out().println(most + " of " + check.incomplete().size()
                        + " runs that lack events (--limit N shows more)");
            }
        }
    }

    private static String[] cells(WriterStatus writer) {
        SinkLedger account = writer.account();
        return new String[] {
            RecordCheck.name(writer),
            RecordCheck.state(writer),
            writer.ledger() == null
                    ? "none"
                    : writer.ledger().time().truncatedTo(ChronoUnit.SECONDS).toString(),
            account == null ? "" : text(account.offered()),
            account == null ? "" : text(account.delivered()),
            account == null ? "" : text(account.droppedTotal())
        };
    }

    private static String text(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private void print(Table table) {
        int width = TerminalWidth.ofOutput();
        TerminalWidth.printNote(out(), ink(), table.print(out(), ink(), width), width);
    }
}

package dev.rlm.runs.scan;

import dev.rlm.cli.Interruption;
import dev.rlm.cli.RunFilter;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.recorded.LateScores;
import dev.rlm.cli.recorded.LimitOption;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.schema.RewardVersion;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that finds in transcripts what makes a verdict doubtful: loops, answers given away, graders touched, faults. */
@Command(
        name = "scan",
        description =
                "Looks by rules for what makes the verdicts on runs doubtful, and cites it; writes nothing unless --keep.",
        mixinStandardHelpOptions = true)
public final class ScanCommand extends JournalVerb {
    private static final String ANY = "any";

    @Mixin
    private final RunFilter filter = new RunFilter();

    @Mixin
    private final LimitOption limit = new LimitOption();

    @Option(
            names = "--rule",
            paramLabel = "RULE",
            completionCandidates = Names.class,
            description =
                    "Look by this rule alone, and not by those that are on by default: ${COMPLETION-CANDIDATES}. May be"
                            + " repeated.")
    private @Nullable List<String> rules;

    @Option(names = "--keep", description = "Add each finding to its run as a label; one that has it gets no second.")
    private boolean keep;

    @Option(
            names = "--fail-on",
            paramLabel = "RULE",
            description = "Exit code 1 where this rule finds something; any for every one; may be given again.")
    private @Nullable List<String> failOn;

    @Option(names = "--json", description = "One JSON object a line and finding, and nothing else.")
    private boolean json;

    @Override
    protected int execute() {
        List<ScanRule> chosen = ScanRule.named(rules);
        Set<ScanRule> failing = failing(chosen);
        if (keep && !Journal.isAt(directory())) {
            open(); // which says what is wrong
        }
        Thread worker = Thread.currentThread();
        ScanCounts counts = new ScanCounts();
        try (LateScores labels = keep ? new LateScores(directory(), config(), List.of()) : null;
                Interruption interruption = new Interruption(console(), worker::interrupt)) {
            try {
                scan(chosen, labels, counts);
            } catch (StoppedException e) {
                // the end says why
            } catch (JournalException e) {
                if (!interruption.wasTold()) {
                    throw e;
                }
            }
            return end(labels, counts, failing, interruption.wasTold());
        }
    }

    private Set<ScanRule> failing(List<ScanRule> chosen) {
        List<String> names = failOn == null ? List.of() : failOn;
        List<ScanRule> failing = names.contains(ANY) ? chosen : names.isEmpty() ? List.of() : ScanRule.named(names);
        for (ScanRule rule : failing) {
            if (!chosen.contains(rule)) {
                throw new UsageException(
                        "--fail-on " + rule.label() + ": that rule does not look; expected --rule " + rule.label());
            }
        }
        return Set.copyOf(failing);
    }

    private void scan(List<ScanRule> chosen, @Nullable LateScores labels, ScanCounts counts) {
        boolean piped = TerminalWidth.ofOutput() == TerminalWidth.UNLIMITED; // else the findings show how far it is
        try (Progress ignored = piped ? progress(counts::progress) : null) {
            Journal journal = openToRead();
            List<RunSummary> fitting = limit.latest(journal, filter);
            List<RunSummary> ended =
                    fitting.stream().filter(run -> run.row().end() != null).toList();
            counts.begin(ended.size(), fitting.size() - ended.size());
            journal.read(
                    ended,
                    ScannedRun.KINDS,
                    (run, events) -> Scanned.of(run, events, chosen),
                    scanned -> take(scanned, labels, counts));
        }
    }

    private void take(Scanned scanned, @Nullable LateScores labels, ScanCounts counts) {
        PrintWriter out = out();
        for (ScanFinding finding : scanned.findings()) {
            if (json) {
                finding.printJson(out);
            } else {
                out.println(finding.line(TerminalWidth.ofOutput(), ink()));
            }
        }
        if (!scanned.findings().isEmpty()) {
            out.flush();
        }
        Map<RewardVersion, Reward> fresh = labels == null ? Map.of() : scanned.labels();
        boolean goesOn = labels == null || fresh.isEmpty() || labels.give(scanned.events(), Instant.now(), fresh);
        counts.add(scanned.findings(), fresh.size());
        if (!goesOn || Thread.currentThread().isInterrupted()) {
            throw new StoppedException();
        }
    }

    private int end(@Nullable LateScores labels, ScanCounts counts, Set<ScanRule> failing, boolean interrupted) {
        String missing = labels == null ? "" : labels.finish();
        if (labels != null) {
            labels.warning().ifPresent(warning -> console().warn(warning));
        }
        if (interrupted) {
            err().println("interrupted: " + counts.progress() + (keep ? "; what was kept stays" : ""));
            return Interruption.EXIT_CODE;
        }
        PrintWriter told = json ? err() : out();
        if (!json) {
            counts.printTable(out(), ink());
        }
        told.println(counts.text(keep));
        out().flush();
        if (!missing.isEmpty()) {
            console().error(missing + "; the same command goes on with the rest");
        }
        boolean found = !Collections.disjoint(failing, counts.found());
        return missing.isEmpty() && !found ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    /** There is no sense in going on. */
    private static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** The rules to choose from. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return ScanRule.names().iterator();
        }
    }
}

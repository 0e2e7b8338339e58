package dev.rlm.runs;

import dev.rlm.cli.RunFilter;
import dev.rlm.cli.recorded.JournalVerb;
import dev.rlm.cli.recorded.LimitOption;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.journal.RunSummary;
import dev.rlm.runs.search.Hit;
import dev.rlm.runs.search.TextPattern;
import dev.rlm.runs.search.TextSearch;
import dev.rlm.sinks.event.RunEvent;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that searches the texts of a journal. A text that calls of models are shown is one hit of its run: where it came up. */
@Command(
        name = "search",
        description =
                "Searches the texts of a journal's runs, the latest first; shows 100 hits unless --limit says otherwise.",
        mixinStandardHelpOptions = true)
public final class SearchCommand extends JournalVerb {
    private static final int USUAL_LIMIT = 100;
    private static final int MOST_HELD = 16; // runs of which the same text may still come

    @Parameters(
            paramLabel = "TEXT",
            description = "The text to find, or /regex/ in RE2's syntax, where ^ and $ are the ends of lines.")
    @SuppressWarnings("NullAway.Init") // set before call()
    private String text;

    @Option(
            names = {"-i", "--ignore-case"},
            description = "Take small and capital letters for the same.")
    private boolean ignoreCase;

    @Mixin
    private final RunFilter filter = new RunFilter();

    @Mixin
    private final LimitOption limit = new LimitOption();

    @Option(names = "--json", description = "One JSON object a line and hit, and nothing else.")
    private boolean json;

    private final Map<String, Map<String, Hit>> held = new LinkedHashMap<>(); // by run and text
    private final Set<String> runsHit = new HashSet<>();
    private int hits;
    private boolean more;

    @Override
    protected int execute() throws Exception {
        TextPattern pattern = TextPattern.of(text, ignoreCase);
        int most = limit.most(USUAL_LIMIT);
        return interruptibly(() -> {
            long damaged = TextSearch.hits(directory(), pattern, runs(), hit -> take(hit, most));
            held.values().forEach(this::print);
            if (!Thread.currentThread().isInterrupted()) {
                String damage = Shown.damage(damaged);
                PrintWriter out = json ? err() : out();
                out.println(counts() + (damage.isEmpty() ? "" : "; " + damage));
                out.flush();
            }
            return CommandLine.ExitCode.OK;
        });
    }

    /** The journal is opened only where a run has to be known to tell whether it fits. */
    private Predicate<String> runs() {
        CommandSpec options =
                Objects.requireNonNull(given().commandSpec().mixins().get("filter"));
        boolean filtered = options.options().stream().anyMatch(given()::hasMatchedOption);
        if (!filtered) {
            return run -> true;
        }
        Set<String> fitting = open().runs().stream()
                .filter(filter::accepts)
                .map(RunSummary::run)
                .map(run -> run.runId())
                .collect(Collectors.toSet());
        return fitting::contains;
    }

    /** Takes a hit, unless there were enough before, and returns whether to go on; not if the output was closed. */
    private boolean take(Hit hit, int most) {
        Map<String, Hit> ofRun = held.computeIfAbsent(hit.runId(), run -> new LinkedHashMap<>());
        Hit again = ofRun.remove(hit.text()); // later, since the latest come first; as journals of version 1 have it
        more = again == null && hits == most;
        if (more) {
            return false;
        }
        if (again == null) {
            hits++;
            runsHit.add(hit.runId());
        }
        ofRun.put(hit.isShown() ? hit.text() : hit.text() + hit.seq() + hit.field(), hit);
        if (held.size() > MOST_HELD) {
            Iterator<Map<String, Hit>> longest = held.values().iterator();
            print(longest.next());
            longest.remove();
        }
        return !out().checkError();
    }

    private void print(Map<String, Hit> ofRun) {
        ofRun.values().forEach(hit -> {
            if (json) {
                hit.printJson(out());
            } else {
                out().println(line(hit));
            }
        });
    }

    private String line(Hit hit) {
        Ink ink = ink();
        String place = hit.step() == RunEvent.NO_STEP ? "run" : "step " + hit.step();
        String time = Shown.time(hit.time());
        String what = Printable.line(String.join("  ", hit.runId(), place, hit.type() + " " + hit.field()));
        int width = TerminalWidth.ofOutput() - time.length() - what.length() - 6;
        return ink.dim(time) + "  " + what + "  " + hit.excerpt(width, ink);
    }

    private String counts() {
        String counted = Counted.of(hits, "hit") + " in " + Counted.of(runsHit.size(), "run");
        return more ? "the latest " + counted + "; --limit shows more" : counted;
    }
}

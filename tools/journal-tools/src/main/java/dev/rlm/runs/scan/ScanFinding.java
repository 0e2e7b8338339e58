package dev.rlm.runs.scan;

import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.Verdict;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Finding of a rule in a run.
 *
 * @param voids what it says of the run's verdict: the rule's word, unless the verdict is the other one
 * @param citations at least one
 * @param more how many further places there are
 */
record ScanFinding(String runId, ScanRule rule, ScanRule.Voids voids, List<Citation> citations, int more) {
    private static final int CITED = 5; // places
    private static final int LEAST = 40; // characters of an excerpt on a line

    static ScanFinding of(RunSummary run, ScanRule rule, List<Citation> places) {
        Verdict other = switch (rule.voids()) {
            case SUCCESS -> Verdict.UNSOLVED;
            case FAILURE -> Verdict.SOLVED;
            case NOTHING -> run.verdict();
        };
        int cited = Math.min(CITED, places.size());
        return new ScanFinding(
                run.runId(),
                rule,
                run.verdict() == other ? ScanRule.Voids.NOTHING : rule.voids(),
                List.copyOf(places.subList(0, cited)),
                places.size() - cited);
    }

    /** Returns the label that it is kept as. Its value says that it is there, and nothing of how good the run is. */
    Reward label() {
        String cited = citations.stream()
                .map(citation -> citation.place() + ": " + citation.text())
                .collect(Collectors.joining("\n"));
        return Reward.of(1)
                .label(voids.label())
                .explanation(cited + (more == 0 ? "" : "\n" + more + " more"))
                .kind(RewardGiven.Kind.CODE)
                .min(1.0)
                .max(1.0)
                .build();
    }

    /** Returns it on one line, safe to print, with as much of the first citation as fits a width. */
    String line(int width, Ink ink) {
        Citation first = citations.get(0);
        String head = Printable.line(String.join("  ", runId, rule.label(), voids.label(), first.place()));
        int others = citations.size() - 1 + more;
        String rest = others == 0 ? "" : "  (+" + others + ")";
        String text = Printable.line(first.text().strip());
        int room = Math.max(LEAST, width - head.length() - rest.length() - 2);
        int points = text.codePointCount(0, text.length());
        String shown = points <= room ? text : text.substring(0, text.offsetByCodePoints(0, room - 1)) + "…";
        return head + "  " + shown + ink.dim(rest);
    }

    /** Prints it as an object on a line. */
    void printJson(PrintWriter out) {
        JsonOutput.print(out, json -> {
            json.writeStringProperty("run_id", runId);
            json.writeStringProperty("rule", rule.label());
            json.writeStringProperty("version", rule.score().version());
            json.writeStringProperty(
                    "voids",
                    voids == ScanRule.Voids.NOTHING ? null : voids.name().toLowerCase(Locale.ROOT));
            json.writeArrayPropertyStart("citations");
            for (Citation citation : citations) {
                json.writeStartObject();
                if (citation.step() != RunEvent.NO_STEP) {
                    json.writeNumberProperty("step", citation.step());
                }
                json.writeNumberProperty("seq", citation.seq());
                json.writeStringProperty("text", citation.text());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeNumberProperty("more", more);
        });
    }
}

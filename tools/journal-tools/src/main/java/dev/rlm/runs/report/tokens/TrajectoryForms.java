package dev.rlm.runs.report.tokens;

import dev.rlm.runs.report.figures.Dimension;
import dev.rlm.runs.report.figures.Rows;
import dev.rlm.runs.report.results.Notes;
import dev.rlm.runs.report.results.Report;
import dev.rlm.runs.report.sheets.Forms;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Lengths of trajectories: turns, calls, tokens. */
public record TrajectoryForms(Report.Source source, Rows<TrajectoryRow> rows) implements Forms {
    @Override
    public void print(Sheet sheet) {
        sheet.line(rows.all().runs() + " completed or failed of " + source.runs() + " runs in " + source.journal());
        if (rows.all().runs() > 0) {
            Grid turns = new Grid(
                            names(),
                            "runs",
                            "turns=turns_mean",
                            "p50=turns_p50",
                            "p95=turns_p95",
                            "max=turns_max",
                            "model calls=model_calls_mean",
                            "tool calls=tool_calls_mean")
                    .leaveOut("p50", "p95", "max");
            Grid tokens = new Grid(
                            names(),
                            "mean=response_tokens_mean",
                            "p50=response_tokens_p50",
                            "p95=response_tokens_p95",
                            "max=response_tokens_max",
                            "of runs=response_tokens_runs",
                            "clip_ratio",
                            "truncated=truncated_runs",
                            "repeated actions=repeated_action_ratio")
                    .leaveOut("p50", "p95", "of runs", "truncated");
            rows.eachAndAll((names, row) -> {
                NamedFigures fields = row.fields().putAll(names);
                turns.row(fields);
                tokens.row(fields);
            });
            sheet.grid("Turns and calls", turns);
            sheet.grid("Response tokens", tokens);
            notes().forEach(sheet::line);
        }
        damage().forEach(sheet::line);
    }

    private Stream<String> names() {
        return rows.dimensions().stream().map(Dimension::field);
    }

    private List<String> notes() {
        List<String> lines = new ArrayList<>(Notes.superseded(source));
        lines.add("turns are steps, or model calls where a run has no steps; calls are the agent's own, of models those"
                + " that were answered; all a run");
        lines.add(
                "response tokens are of all replies of a run, over runs that tell them and were not cut: neither a reply"
                        + " by its length (clip ratio), nor the run by a limit (truncated)");
        lines.add("repeated actions are the same as an earlier one of the run: its steps', else its calls of tools");
        return lines;
    }

    @Override
    public NamedFigures json() {
        return source.fields().put("by", names()).putAll(rows.fields(TrajectoryRow::fields));
    }

    @Override
    public Stream<NamedFigures> csv() {
        List<NamedFigures> lines = new ArrayList<>();
        lines.add(rows.noNames().putAll(new TrajectoryRow().fields()));
        rows.each((names, row) -> lines.add(names.putAll(row.fields())));
        return lines.stream();
    }

    @Override
    public List<String> damage() {
        return Notes.damage(source, "");
    }
}

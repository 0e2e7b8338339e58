package dev.rlm.runs.report.tokens;

import dev.rlm.cli.terminal.Counted;
import dev.rlm.runs.report.results.Notes;
import dev.rlm.runs.report.results.Report;
import dev.rlm.runs.report.sheets.Forms;
import dev.rlm.runs.report.sheets.Grid;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.runs.report.sheets.Sheet;
import java.util.List;
import java.util.stream.Stream;

/** Report of the audit of tokens. */
public record TokenForms(Report.Source source, TokenAudit audit) implements Forms {
    @Override
    public void print(Sheet sheet) {
        sheet.line(audit.runs() + " of " + source.runs() + " runs in " + source.journal());
        if (audit.runs() > 0) {
            Grid grid = new Grid(Stream.of("rule", "verdict"), "calls=found", "of calls=checked", "runs");
            audit.findings().forEach(finding -> grid.row(finding.row()));
            sheet.grid("Tokens", grid);
            audit.findings().stream().flatMap(TokenFinding::lines).forEach(sheet::line);
            sheet.line(audit.callsWithIds() + " of " + Counted.of(audit.calls(), "model call has", "model calls have")
                    + " token ids of prompt and response; a call is told by its event's number");
            Notes.superseded(source).forEach(sheet::line);
        }
        damage().forEach(sheet::line);
    }

    @Override
    public NamedFigures json() {
        return source.fields()
                .put("runs", audit.runs())
                .put("calls", audit.calls())
                .put("calls_with_ids", audit.callsWithIds())
                .put("calls_without_ids", audit.calls() - audit.callsWithIds())
                .put("tokens", audit.findings().stream().map(TokenFinding::fields));
    }

    @Override
    public Stream<NamedFigures> csv() {
        return Stream.concat(
                Stream.of(new TokenFinding(TokenRule.BROKEN_PREFIX).row()),
                audit.findings().stream().map(TokenFinding::row));
    }

    @Override
    public List<String> damage() {
        return Notes.damage(source, "");
    }
}

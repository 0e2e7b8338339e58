package dev.rlm.journal.report;

import java.io.PrintWriter;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * What the runs came to.
 *
 * @param worst how many of the worst samples to show
 * @param program how the user calls the program
 * @param options what the user would have to say again to look at the same journal
 */
record RunReportForms(Report report, int worst, String program, String options) implements Forms {
    @Override
    public void print(Sheet sheet) {
        new ReportText(report, worst, program, options).print(sheet);
    }

    @Override
    public void json(JsonGenerator json) {
        new ReportJson(report, worst).write(json);
    }

    @Override
    public void csv(PrintWriter out) {
        ReportCsv.print(report, out);
    }

    @Override
    public List<String> damage() {
        return Notes.damage(report);
    }
}

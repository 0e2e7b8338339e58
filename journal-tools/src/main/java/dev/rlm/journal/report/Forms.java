package dev.rlm.journal.report;

import java.io.PrintWriter;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** What is to be reported, in each of the forms in which it can be printed. */
interface Forms {
    /** For people. */
    void print(Sheet sheet);

    /** As the properties of one object. */
    void json(JsonGenerator json);

    /** As one table. */
    void csv(PrintWriter out);

    /** What could not be read or was lost before, to be said beside the forms for programs. */
    List<String> damage();
}

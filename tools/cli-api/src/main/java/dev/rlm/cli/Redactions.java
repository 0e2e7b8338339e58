package dev.rlm.cli;

import dev.rlm.cli.terminal.Counted;
import dev.rlm.sinks.RedactionCounts;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.core.JsonGenerator;

/** Account of redaction: what was taken out, and above all what could not be redacted and is not recorded. */
public final class Redactions {
    private Redactions() {}

    /** Returns a warning that texts are missing; empty if none are. */
    public static Optional<String> warning(RedactionCounts counts) {
        long texts = counts.failed() + counts.overdue();
        return texts == 0
                ? Optional.empty()
                : Optional.of(Counted.of(texts, "text was", "texts were")
                        + " left out, since secrets in them could not be told: redaction failed for " + counts.failed()
                        + " and took too long for " + counts.overdue());
    }

    /** The same and what was redacted, in numbers, as a property. */
    public static void write(JsonGenerator json, RedactionCounts counts) {
        json.writeObjectPropertyStart("redaction");
        json.writeObjectPropertyStart("secrets");
        new TreeMap<>(counts.secrets()).forEach(json::writeNumberProperty);
        json.writeEndObject();
        json.writeNumberProperty("failed_texts", counts.failed());
        json.writeNumberProperty("overdue_texts", counts.overdue());
        json.writeEndObject();
    }
}

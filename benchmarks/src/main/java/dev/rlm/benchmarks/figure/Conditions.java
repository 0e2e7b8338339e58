package dev.rlm.benchmarks.figure;

import dev.rlm.benchmarks.Machine;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/**
 * Conditions under which figures were measured.
 *
 * @param load system load over the last minute when it began; negative if it is not known
 * @param versions of the peers, by name
 */
record Conditions(Instant began, Duration took, double load, String command, int rounds, Map<String, String> versions) {
    /** The system's load over the last minute. */
    static double currentLoad() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    void print(PrintWriter out) {
        out.println("Measured on " + Machine.line() + "; "
                + began.truncatedTo(ChronoUnit.MINUTES) + ", in " + took.toMinutes() + " min "
                + took.toSecondsPart() + " s; load at the start " + String.format(Locale.ROOT, "%.1f", load) + "; "
                + rounds + " rounds.");
        out.println();
        out.println("Command: `" + command + "`");
        out.println();
        out.println("Versions: "
                + String.join(
                        ", ",
                        versions.entrySet().stream()
                                .map(version -> version.getKey() + " " + version.getValue())
                                .toList()));
    }

    void write(JsonGenerator json) {
        json.writeStringProperty("began", began.toString());
        json.writeNumberProperty("took_seconds", took.toSeconds());
        json.writeStringProperty("machine", Machine.line());
        json.writeNumberProperty("load", load);
        json.writeStringProperty("command", command);
        json.writeNumberProperty("rounds", rounds);
        json.writeObjectPropertyStart("versions");
        List.copyOf(versions.entrySet())
                .forEach(version -> json.writeStringProperty(version.getKey(), version.getValue()));
        json.writeEndObject();
    }
}

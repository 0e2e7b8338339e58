package dev.rlm.benchmarks.fault;

import dev.rlm.benchmarks.Median;
import dev.rlm.benchmarks.fault.Comparison.Result;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.cli.terminal.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tools.jackson.core.JsonGenerator;

/** Report of the costs of faults, as tables or as JSON. */
record FaultReport(String machine, List<Result> results) {
    private static final double TARGET = 1.01;

    void print(PrintWriter out, Workload workload) {
        Table table = new Table(
                List.of(
                        "fault",
                        "pairs",
                        "slower by",
                        "95 %",
                        "on its CPU",
                        "95 %",
                        "ns/event",
                        "with it",
                        "below 1 %",
                        "dropped"),
                Set.of(1, 2, 4, 6, 7));
        results.stream()
                .filter(result -> result.workload() == workload)
                .forEach(result -> table.row(
                        result.fault().label(),
                        String.valueOf(result.wall().count()),
                        percent(result.wall().value()),
                        interval(result.wall()),
                        percent(result.cpu().value()),
                        interval(result.cpu()),
                        nanos(result.healthyNanos()),
                        nanos(result.faultyNanos()),
                        answer(result.wall()),
                        result.state()));
        out.println(workload.label());
        table.print(out, Ink.NONE);
        out.println();
    }

    void print(PrintWriter out) {
        out.println(machine);
        out.println();
        results.stream().map(Result::workload).distinct().forEach(workload -> print(out, workload));
        out.flush();
    }

    /** Returns whether the target is met, as far as the interval tells. */
    private static String answer(Median ratio) {
        if (ratio.high() < TARGET) {
            return "yes";
        }
        return ratio.low() > TARGET ? "no" : "not sure";
    }

    private static String percent(double ratio) {
        return Double.isFinite(ratio) ? String.format(Locale.ROOT, "%+.2f %%", 100 * (ratio - 1)) : "";
    }

    private static String interval(Median ratio) {
        return ratio.count() == 0 ? "" : percent(ratio.low()) + " … " + percent(ratio.high());
    }

    private static String nanos(double value) {
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%.0f", value);
    }

    void printJson(PrintWriter out) {
        JsonOutput.print(out, json -> {
            json.writeStringProperty("machine", machine);
            json.writeArrayPropertyStart("results");
            results.forEach(result -> write(result, json));
            json.writeEndArray();
        });
    }

    private static void write(Result result, JsonGenerator json) {
        json.writeStartObject();
        json.writeStringProperty("workload", result.workload().label());
        json.writeStringProperty("fault", result.fault().label());
        write("wall_ratio", result.wall(), json);
        write("cpu_ratio", result.cpu(), json);
        JsonOutput.number(json, "healthy_ns_per_event", result.healthyNanos());
        JsonOutput.number(json, "faulty_ns_per_event", result.faultyNanos());
        json.writeStringProperty("below_one_percent", answer(result.wall()));
        json.writeStringProperty("dropped", result.state());
        json.writeEndObject();
    }

    private static void write(String name, Median ratio, JsonGenerator json) {
        json.writeObjectPropertyStart(name);
        json.writeNumberProperty("pairs", ratio.count());
        JsonOutput.number(json, "median", ratio.value());
        JsonOutput.number(json, "low", finite(ratio.low()));
        JsonOutput.number(json, "high", finite(ratio.high()));
        json.writeEndObject();
    }

    private static double finite(double value) {
        return Double.isFinite(value) ? value : Double.NaN;
    }
}

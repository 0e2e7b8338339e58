package dev.rlm.benchmarks.figure;

import dev.rlm.benchmarks.Median;
import dev.rlm.cli.terminal.JsonOutput;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import tools.jackson.core.JsonGenerator;

/** Report of all figures, as Markdown and as JSON. */
record FiguresReport(Conditions conditions, List<Result> results) {
    FiguresReport {
        results = List.copyOf(results);
    }

    void print(PrintWriter out) {
        out.println("# Results");
        out.println();
        conditions.print(out);
        out.println();
        out.println(
                "A value is the median of the rounds, with the lowest and the highest. `a ÷ b` is the median of the ratios round by "
                        + "round.");
        out.println();
        out.println("| # | figure | value | measured | goal | met |");
        out.println("| --- | --- | --- | --- | --- | --- |");
        results.forEach(result -> printGoals(out, result));
        out.println();
        out.println("## What each came to");
        out.println();
        out.println("| # | figure | | median (lowest … highest) |");
        out.println("| --- | --- | --- | --- |");
        results.forEach(result -> printSamples(out, result));
        out.flush();
    }

    private static void printGoals(PrintWriter out, Result result) {
        Figure figure = result.figure();
        for (Goal goal : figure.goals()) {
            double[] rounds = goal.outcomes(result);
            row(out, figure, goal.what(), spread(rounds), goal.bound(), verdict(goal, rounds));
        }
        if (result.trouble() != null) {
            row(out, figure, "**not measured to its end**", result.trouble(), "", "");
        }
    }

    private static void printSamples(PrintWriter out, Result result) {
        for (Contender contender : result.figure().contenders()) {
            List<Sample> samples = result.samples(contender.name());
            String values = names(samples).stream()
                    .map(name -> name + ": " + spread(values(samples, name)))
                    .collect(Collectors.joining("<br>"));
            row(out, result.figure(), contender.name(), values);
        }
    }

    private static void row(PrintWriter out, Figure figure, String... cells) {
        out.println("| " + figure.number() + " | " + figure.title() + " | " + String.join(" | ", cells) + " |");
    }

    private static List<String> names(List<Sample> samples) {
        return List.copyOf(samples.stream()
                .flatMap(sample -> sample.values().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new)));
    }

    private static double[] values(List<Sample> samples, String name) {
        return samples.stream()
                .flatMapToDouble(sample ->
                        sample.values().containsKey(name) ? DoubleStream.of(sample.value(name)) : DoubleStream.empty())
                .toArray();
    }

    private static String spread(double[] values) {
        if (values.length == 0) {
            return "";
        }
        double low = Arrays.stream(values).min().orElse(Double.NaN);
        double high = Arrays.stream(values).max().orElse(Double.NaN);
        String median = Numbers.text(Median.of(values).value());
        return values.length == 1 ? median : median + " (" + Numbers.text(low) + " … " + Numbers.text(high) + ")";
    }

    void printJson(PrintWriter out) {
        JsonOutput.print(out, json -> {
            conditions.write(json);
            json.writeArrayPropertyStart("figures");
            results.forEach(result -> write(result, json));
            json.writeEndArray();
        });
    }

    private static void write(Result result, JsonGenerator json) {
        json.writeStartObject();
        json.writeNumberProperty("number", result.figure().number());
        json.writeStringProperty("title", result.figure().title());
        JsonOutput.text(json, "trouble", result.trouble());
        json.writeArrayPropertyStart("goals");
        result.figure().goals().forEach(goal -> write(goal, goal.outcomes(result), json));
        json.writeEndArray();
        json.writeArrayPropertyStart("contenders");
        result.figure().contenders().forEach(contender -> write(contender, result.samples(contender.name()), json));
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(Goal goal, double[] rounds, JsonGenerator json) {
        json.writeStartObject();
        json.writeStringProperty("value", goal.value());
        json.writeStringProperty("contender", goal.contender());
        JsonOutput.text(json, "against", goal.against());
        json.writeStringProperty("bound", goal.bound());
        JsonOutput.number(json, "median", Median.of(rounds).value());
        write("rounds", rounds, json);
        json.writeStringProperty("met", verdict(goal, rounds));
        json.writeEndObject();
    }

    private static void write(Contender contender, List<Sample> samples, JsonGenerator json) {
        json.writeStartObject();
        json.writeStringProperty("name", contender.name());
        names(samples).forEach(name -> write(name, values(samples, name), json));
        json.writeEndObject();
    }

    private static void write(String name, double[] values, JsonGenerator json) {
        json.writeName(name);
        json.writeArray(values, 0, values.length);
    }

    private static String verdict(Goal goal, double[] rounds) {
        if (rounds.length == 0 || Double.isNaN(goal.limit())) {
            return "";
        }
        return goal.isMet(Median.of(rounds).value()) ? "yes" : "**no**";
    }
}

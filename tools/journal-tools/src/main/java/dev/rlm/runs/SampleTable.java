package dev.rlm.runs;

import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Table;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.journal.RunSummary;
import dev.rlm.json.Json;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Groups of runs of a sample, a line each. */
final class SampleTable {
    private SampleTable() {}

    static void print(List<SampleGroup> groups, PrintWriter out, Ink ink, int width) {
        if (groups.isEmpty()) {
            return;
        }
        Map<String, Function<SampleGroup, String>> columns = columns(groups);
        List<String> titles = List.copyOf(columns.keySet());
        Table table = new Table(titles, rightAligned(titles))
                .cut("environment", "split", "model", "results")
                .paint("results", RunMark::colored)
                .leaveOut("environment", "split", "model", "mean steps");
        for (SampleGroup group : groups) {
            table.row(columns.values().stream().map(cell -> cell.apply(group)).toArray(String[]::new));
        }
        TerminalWidth.printNote(out, ink, table.print(out, ink, width), width);
        TerminalWidth.wrap("results: " + RunMark.legend(), width).forEach(line -> out.println(ink.dim(line)));
    }

    private static Map<String, Function<SampleGroup, String>> columns(List<SampleGroup> groups) {
        Map<String, Function<SampleGroup, String>> columns = new LinkedHashMap<>();
        columns.put("sample", group -> TextLimits.SHORT.ofCell(group.sample().sample()));
        Map<String, Function<SampleGroup, String>> names = new LinkedHashMap<>();
        names.put("environment", group -> group.sample().environment());
        names.put("split", group -> group.sample().split());
        names.put("model", SampleGroup::models);
        names.forEach((title, name) -> {
            if (groups.stream().map(name).distinct().count() > 1) {
                columns.put(title, group -> TextLimits.SHORT.ofCell(name.apply(group)));
            }
        });
        columns.put("runs", group -> String.valueOf(group.runs().size()));
        columns.put("results", SampleTable::marks);
        columns.put("solved rate", group -> figure("%.3f", group.figures().solvedRate()));
        columns.put("mean reward", group -> figure("%.3f", group.figures().meanReward()));
        columns.put("mean steps", group -> figure("%.1f", group.meanSteps()));
        return columns;
    }

    private static Set<Integer> rightAligned(List<String> titles) {
        Set<String> numbers = Set.of("runs", "solved rate", "mean reward", "mean steps");
        return IntStream.range(0, titles.size())
                .filter(i -> numbers.contains(titles.get(i)))
                .boxed()
                .collect(Collectors.toSet());
    }

    private static String marks(SampleGroup group) {
        return group.runs().stream()
                .map(run -> String.valueOf(RunMark.of(run).character()))
                .collect(Collectors.joining());
    }

    private static String figure(String format, double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
    }

    static void printJson(List<SampleGroup> groups, PrintWriter out) {
        groups.forEach(group -> out.println(Printable.json(Json.text(fields(group)))));
    }

    private static Map<String, @Nullable Object> fields(SampleGroup group) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("sample", group.sample().sample());
        fields.put("environment", group.sample().environment());
        fields.put(
                "split",
                group.sample().split().isEmpty() ? null : group.sample().split());
        fields.put("runs", group.figures().runs());
        fields.put("decided", group.figures().decided());
        fields.put("solved", group.figures().solved());
        fields.put("solved_rate", SampleGroup.known(group.figures().solvedRate()));
        fields.put("mean_reward", SampleGroup.known(group.figures().meanReward()));
        fields.put("mean_steps", group.meanSteps());
        List<Map<String, Object>> results = new ArrayList<>();
        for (RunSummary run : group.runs()) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("run_id", run.runId());
            result.put("model", run.row().run().model());
            result.put("result", RunMark.of(run).field());
            results.add(result);
        }
        fields.put("results", results);
        return fields;
    }
}

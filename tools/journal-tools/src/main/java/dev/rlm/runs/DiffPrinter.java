package dev.rlm.runs;

import dev.rlm.cli.Durations;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.cli.terminal.Table;
import dev.rlm.cli.terminal.TerminalWidth;
import dev.rlm.runs.RunDiff.Change;
import dev.rlm.runs.RunDiff.Row;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Form of a comparison for people: what differs on lines of its own, this side before the other. */
final class DiffPrinter {
    private static final String HERE = "- ";
    private static final String THERE = "+ ";
    private static final String NOTHING = "none";
    private static final int SHORT = 40; // characters of a fact that has its place in a table
    private static final int LINE = 120;
    private static final Set<Object> USUAL = Set.of(true, 0.0); // success, and no reward

    private final PrintWriter out;
    private final Ink ink;
    private final TextLimits textLimits;

    DiffPrinter(PrintWriter out, Ink ink, TextLimits textLimits) {
        this.out = out;
        this.ink = ink;
        this.textLimits = textLimits;
    }

    void print(RunDiff diff) {
        List<String> same = new ArrayList<>();
        List<String> differing = new ArrayList<>();
        for (String name : diff.facts()) {
            (Objects.equals(diff.here().get(name), diff.there().get(name)) ? same : differing).add(name);
        }
        facts(diff, differing);
        String alike =
                same.stream().map(name -> fact(name, diff.here().get(name))).collect(Collectors.joining(", "));
        TerminalWidth.wrap("the same: " + alike, Math.min(TerminalWidth.ofOutput(), LINE))
                .forEach(line -> out.println(ink.dim(line)));
        out.println();
        Row first = diff.firstDivergence();
        for (Row row : diff.steps()) {
            row(row, row.equals(first));
        }
        out.println(counts(diff, first));
    }

    /** Draws short facts as a table, and below it those that have more to say. */
    private void facts(RunDiff diff, List<String> names) {
        Table table = new Table(List.of("fact", "this side", "other side"), Set.of())
                .paint("this side", Shown::colored)
                .paint("other side", Shown::colored);
        List<String> longer = new ArrayList<>();
        for (String name : names) {
            String here = text(name, diff.here().get(name));
            String there = text(name, diff.there().get(name));
            if (Math.max(here.length(), there.length()) > SHORT) {
                longer.add(name);
            } else {
                table.row(title(name), here.isEmpty() ? NOTHING : here, there.isEmpty() ? NOTHING : there);
            }
        }
        if (longer.size() < names.size()) {
            table.print(out, ink, TerminalWidth.ofOutput());
        }
        int width = width(longer);
        longer.forEach(name ->
                field("", width, name, diff.here().get(name), diff.there().get(name)));
    }

    private static int width(List<String> names) {
        return names.stream().mapToInt(name -> title(name).length()).max().orElse(0);
    }

    /** The names of parameters and tags are their user's. */
    private static String title(String name) {
        return Printable.line(name.contains(".") ? name : name.replace('_', ' '));
    }

    private String fact(String name, @Nullable Object value) {
        String text = text(name, value);
        return title(name) + (text.length() > SHORT ? "" : " " + Printable.line(text));
    }

    private void row(Row row, boolean first) {
        Change change = row.change();
        String number = row.isStep() ? "step " + numbers(row) : "outside of steps";
        String action = row.any().action();
        String line = change.mark() + " " + number + (action.isEmpty() ? "" : "  " + Printable.line(action));
        String code = textLimits.ofCell(row.any().code().strip());
        boolean below = change == Change.CHANGED && row.differing().contains("code");
        String what = code.isEmpty() || below ? "" : "  " + code;
        out.println(switch (change) {
                    case SAME -> ink.dim(line + what);
                    case CHANGED -> ink.bold(line) + what;
                    case THIS_SIDE_ONLY -> ink.red(line) + what;
                    case OTHER_SIDE_ONLY -> ink.green(line) + what;
                }
                + (first ? ink.yellow("  <- first divergence") : ""));
        if (change == Change.CHANGED) {
            List<String> names = row.differing();
            int width = width(names);
            names.forEach(name -> field("    ", width, name, value(row.here(), name), value(row.there(), name)));
        } else if (change != Change.SAME) {
            only(row);
        }
    }

    private static String numbers(Row row) {
        StepSide here = row.here();
        StepSide there = row.there();
        return here == null || there == null || here.number() == there.number()
                ? String.valueOf(row.number())
                : here.number() + " and " + there.number();
    }

    private static @Nullable Object value(@Nullable StepSide step, String name) {
        return step == null ? null : step.flat().get(name);
    }

    /** The fields of a step that one side alone has, but for those that its first line says. */
    private void only(Row row) {
        List<String> names = row.differing().stream()
                .filter(name -> !name.equals("action type") && !name.equals("code"))
                .filter(name -> !USUAL.contains(Objects.requireNonNull(value(row.any(), name))))
                .toList();
        int width = width(names);
        boolean here = row.change() == Change.THIS_SIDE_ONLY;
        for (String name : names) {
            lines(
                    "    " + label(width, name),
                    textLimits.of(text(name, value(row.any(), name))),
                    here ? ink::red : ink::green);
        }
    }

    /** A field that differs: each side on lines of its own, cut to the part that differs. */
    private void field(String indent, int width, String name, @Nullable Object here, @Nullable Object there) {
        TextDifference whole = TextDifference.of(text(name, here), text(name, there));
        TextDifference difference = textLimits.equals(TextLimits.FULL) ? whole : whole.shortened();
        String label = indent + label(width, name);
        lines(label + HERE, here == null, difference.before(), difference.here(), difference.after(), ink::red);
        String blank = " ".repeat(label.length());
        lines(blank + THERE, there == null, difference.before(), difference.there(), difference.after(), ink::green);
    }

    private void lines(
            String label, boolean none, String before, String part, String after, UnaryOperator<String> colour) {
        if (none) {
            out.println(label + ink.dim(NOTHING));
            return;
        }
        String all = Printable.text(visible(part));
        String shown = String.join("\n", textLimits.of(visible(part)));
        boolean cut = !shown.stripTrailing().equals(all.stripTrailing());
        String text = Stream.of((cut ? shown : all).split("\n", -1)).map(colour).collect(Collectors.joining("\n"));
        String whole = Printable.text(before) + text + (cut ? "" : Printable.text(after));
        lines(label, whole.lines().toList(), UnaryOperator.identity());
    }

    /** Blanks that are all that differs could not be seen. */
    private static String visible(String part) {
        return part.isBlank() ? part.replace(' ', '␣').replace("\n", "⏎\n") : part;
    }

    private void lines(String label, List<String> lines, UnaryOperator<String> colour) {
        String start = label;
        for (String line : lines) {
            out.println(start + colour.apply(line));
            start = " ".repeat(label.length());
        }
    }

    private String label(int width, String name) {
        return String.format("%-" + Math.max(1, width) + "s  ", title(name));
    }

    private static String text(String name, @Nullable Object value) {
        if (value instanceof Duration length) {
            return Durations.text(length);
        } else if (value instanceof Boolean is) {
            return is ? "yes" : "no";
        } else if (value instanceof Double number && (name.endsWith("reward") || name.startsWith("reward"))) {
            return Shown.reward(number);
        }
        return value == null ? "" : value.toString();
    }

    private static String counts(RunDiff diff, @Nullable Row first) {
        String counts = Stream.of(
                        diff.count(Change.SAME) + " the same",
                        diff.count(Change.CHANGED) + " changed",
                        diff.count(Change.THIS_SIDE_ONLY) + " on this side only",
                        diff.count(Change.OTHER_SIDE_ONLY) + " on the other only")
                .collect(Collectors.joining(", "));
        boolean outside = diff.steps().stream().anyMatch(row -> !row.isStep() && row.change() != Change.SAME);
        return (first == null ? "no step differs" : "first divergence: step " + first.number()) + "; steps: " + counts
                + (outside ? "; what happened outside of steps differs" : "");
    }
}

package dev.rlm.runs;

import dev.rlm.cli.terminal.Counted;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.journal.RewardSummary;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.math.BigDecimal;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Numbers and times as people read them. */
public final class Shown {
    private static final double SMALL = 1e-4;
    private static final double LARGE = 1e9;
    private static final int DIGEST = 12;

    /** Sign in the place of what a run does not have. */
    static final String NONE = "-";

    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private Shown() {}

    /** A reward with its sign. */
    static String reward(double value) {
        if (value == 0) {
            return "0";
        } else if (Double.isNaN(value)) {
            return "absent";
        } else if (Double.isInfinite(value)) {
            return value > 0 ? "+Infinity" : "-Infinity";
        }
        double size = Math.abs(value);
        return size < SMALL || size >= LARGE
                ? String.format(Locale.ROOT, "%+.3e", value)
                : new DecimalFormat("+0.####;-0.####", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(value);
    }

    /** An amount of money with all its digits. */
    static String amount(double value) {
        return Double.isFinite(value) ? BigDecimal.valueOf(value).toPlainString() : Double.toString(value);
    }

    /** A run's total reward; where one of its rewards could not be computed the total is no reward, and where none was given there is none. */
    static String reward(RunSummary run) {
        RewardSummary rewards = run.rewards();
        Double total = rewards.total();
        return total == null ? NONE : rewards.isUsable() ? reward(total) : "absent";
    }

    /** Gives what is said of a run's state or of its being solved the colour of good or bad news. */
    public static String colored(Ink ink, String label) {
        return switch (label) {
            case "failed", "no", "not solved" -> ink.red(label);
            case "abandoned", "aborted", "undecided" -> ink.yellow(label);
            case "yes", "solved" -> ink.green(label);
            default -> label;
        };
    }

    /** The state after a step, and that before it where it was another one; nothing where neither is known. */
    static String states(StepEnded step) {
        String before = step.stateBefore();
        String after = step.stateAfter();
        if (before == null && after == null) {
            return "";
        }
        return Objects.equals(before, after)
                ? "unchanged " + digest(after)
                : "changed " + digest(before) + " → " + digest(after);
    }

    /** The result of a tool call; in its place where it has none the number of documents that it found. */
    static String result(ToolCalled call) {
        int found = call.documents().size();
        return call.result().isEmpty() && call.isRetrieval()
                ? Counted.of(found, "document")
                : call.result().text();
    }

    /** The documents that a tool call found, a line each. */
    static String documents(ToolCalled call) {
        return call.documents().stream()
                .map(found -> found.id()
                        + (found.score() == null ? "" : "  score " + found.score())
                        + (found.sha256() == null ? "" : "  " + digest(found.sha256())))
                .collect(Collectors.joining("\n"));
    }

    /** The beginning of a digest, by which it is known among a run's few. */
    static String digest(@Nullable String digest) {
        return digest == null ? "?" : Printable.line(digest.length() <= DIGEST ? digest : digest.substring(0, DIGEST));
    }

    /** Returns the place and the kind of an image, an audio or a file. */
    static String media(MessagePart part) {
        return Stream.of(part.uri(), part.mediaType(), part.sha256())
                .filter(Objects::nonNull)
                .collect(Collectors.joining("  "));
    }

    /** Returns how many of the events that its end counts a run lacks, as a sentence; empty where it lacks none. */
    static String missing(RunSummary run, List<RunEvent> events) {
        RunEnded end = run.row().end();
        long present = end == null
                ? 0
                : events.stream().filter(event -> event.seq() <= end.seq()).count();
        return end == null || present >= end.seq()
                ? ""
                : end.seq() - present + " of the run's " + end.seq() + " events are not in the journal";
    }

    /** The name of a class without its package. */
    static String simpleName(String type) {
        return type.substring(Math.max(type.lastIndexOf('.'), type.lastIndexOf('$')) + 1);
    }

    /** Tells how many damaged lines were passed over; nothing where none was. */
    static String damage(long lines) {
        return lines == 0 ? "" : Counted.of(lines, "damaged line was", "damaged lines were") + " passed over";
    }

    /** A time in UTC, to the second. */
    static String time(Instant time) {
        return SECONDS.format(time);
    }

    /** Leaves the year out of such a time. */
    static String withoutYear(String time) {
        return time.substring(time.indexOf('-', 1) + 1);
    }
}

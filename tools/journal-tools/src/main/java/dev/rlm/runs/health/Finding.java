package dev.rlm.runs.health;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Outcome of a rule. Immutable.
 *
 * @param needs what is missing to tell it, in words; empty where it is told
 * @param figures numbers and texts by name, in order
 * @param runs ids of some that show it
 */
public record Finding(Verdict verdict, String needs, Map<String, Object> figures, List<String> runs) {
    /** Verdict of a rule. */
    public enum Verdict {
        /** The fault is there. */
        FOUND,
        /** The fault is not there. */
        CLEAR,
        /** It cannot be told: numbers that the rule needs were neither reported nor recorded. */
        UNKNOWN
    }

    public Finding {
        figures = Collections.unmodifiableMap(new LinkedHashMap<>(figures));
        runs = List.copyOf(runs);
    }

    /** Says that it cannot be told without something. */
    static Finding unknown(String needs) {
        return new Finding(Verdict.UNKNOWN, needs, Map.of(), List.of());
    }

    /** Says that the fault is there, which these runs show, or that it is not. */
    static Finding of(boolean found, List<String> runs) {
        return new Finding(found ? Verdict.FOUND : Verdict.CLEAR, "", Map.of(), found ? runs : List.of());
    }

    /** Adds a figure, unless it is NaN or empty. */
    Finding with(String name, Object figure) {
        if (figure.equals(Double.NaN) || figure.equals("")) {
            return this;
        }
        Map<String, Object> more = new LinkedHashMap<>(figures);
        more.put(name, figure);
        return new Finding(verdict, needs, more, runs);
    }

    /** Adds the medians of a number's beginning and end. */
    Finding withMedians(String name, Points points) {
        return with(name + "_first", points.head()).with(name + "_last", points.tail());
    }

    /** Adds the means of a share's beginning and end. */
    Finding withMeans(String name, Points points) {
        return with(name + "_first", points.headMean()).with(name + "_last", points.tailMean());
    }

    /** Adds the step since when it is so, where it is there. */
    Finding since(double step) {
        return isFound() ? with("since", step) : this;
    }

    /** Returns whether it could be told. */
    public boolean isKnown() {
        return verdict != Verdict.UNKNOWN;
    }

    /** Returns whether the fault is there. */
    public boolean isFound() {
        return verdict == Verdict.FOUND;
    }
}

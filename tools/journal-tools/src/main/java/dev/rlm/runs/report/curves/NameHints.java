package dev.rlm.runs.report.curves;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Hints at names of numbers that are too many, or will be: each name is a curve, and a time series on a dashboard. */
final class NameHints {
    private static final int MANY = 10;
    private static final int ALIKE = 8;
    private static final Pattern ID =
            Pattern.compile("\\p{XDigit}{8}-\\p{XDigit}{4}-\\p{XDigit}{4}-|\\p{XDigit}{16}|\\d{6}");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private NameHints() {}

    /** Returns what is to be said of the names of one kind. */
    static List<String> of(String kind, Collection<String> names) {
        List<String> hints = new ArrayList<>();
        if (names.size() > MANY) {
            hints.add(
                    kind + ": " + names.size() + " names; each is a curve, and a time series on a dashboard: more than "
                            + MANY + " are hard to watch");
        }
        names.stream()
                .filter(name -> ID.matcher(name).find())
                .findFirst()
                .ifPresent(name -> hints.add(kind + ": the name '" + name
                        + "' looks unbounded: an id in it makes a curve for each id; put ids in tags"));
        SortedMap<String, List<String>> alike = new TreeMap<>();
        names.stream()
                .filter(name -> !ID.matcher(name).find())
                .forEach(name -> alike.computeIfAbsent(NUMBER.matcher(name).replaceAll("0"), form -> new ArrayList<>())
                        .add(name));
        alike.values().stream()
                .filter(same -> same.size() > ALIKE)
                .forEach(same -> hints.add(kind + ": " + same.size() + " names differ in numbers alone, such as '"
                        + same.get(0) + "' and '" + same.get(1)
                        + "', and look unbounded: give them one name, and the number as a step or an epoch"));
        return hints;
    }
}

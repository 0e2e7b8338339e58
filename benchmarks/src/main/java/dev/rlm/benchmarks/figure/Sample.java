package dev.rlm.benchmarks.figure;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Result of one measurement: numbers by name, the unit in the name, such as {@code ns/step}. A program in a JVM of its
 * own prints it, the one that started it reads it.
 */
public record Sample(Map<String, Double> values) {
    private static final String MARK = "sample:";

    public Sample {
        values = Map.copyOf(values);
    }

    /** Prints it, for {@link #read}. */
    public void print() {
        System.out.println(new TreeMap<>(values)
                .entrySet().stream()
                        .map(value -> value.getKey() + "=" + value.getValue())
                        .collect(Collectors.joining(";", MARK, "")));
    }

    /** Reads the last one that was printed, whatever else was. */
    static Sample read(String output) {
        int start = output.lastIndexOf(MARK);
        if (start < 0) {
            throw new FigureException("nothing was measured");
        }
        Map<String, Double> values = new TreeMap<>();
        for (String value : output.substring(start + MARK.length())
                .lines()
                .findFirst()
                .orElse("")
                .split(";", -1)) {
            int sign = value.lastIndexOf('=');
            values.put(value.substring(0, sign), Double.valueOf(value.substring(sign + 1)));
        }
        return new Sample(values);
    }

    double value(String name) {
        Double value = values.get(name);
        if (value == null) {
            throw new FigureException("there is no " + name + " among " + values.keySet());
        }
        return value;
    }
}

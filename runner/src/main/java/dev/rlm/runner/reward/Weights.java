package dev.rlm.runner.reward;

import dev.rlm.episodes.SetupException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads names with weights: {@code exact=1.0}, or {@code exact} for the same. */
final class Weights {
    private static final Pattern NUMBER = Pattern.compile("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d{1,3})?");

    private Weights() {}

    /**
     * The weights by name, in the order given.
     *
     * @throws SetupException if one is not valid, or a name comes twice
     */
    static Map<String, Double> parse(String option, List<String> given) {
        Map<String, Double> weights = new LinkedHashMap<>();
        for (String one : given) {
            int equals = one.indexOf('=');
            String name = (equals < 0 ? one : one.substring(0, equals)).strip();
            double weight = equals < 0 ? 1 : number(one.substring(equals + 1).strip());
            if (name.isEmpty() || !Double.isFinite(weight)) {
                throw new SetupException(option + " '" + one
                        + "' is not valid: expected NAME or NAME=WEIGHT with a finite" + " number, such as exact=1.0");
            }
            if (weights.putIfAbsent(name, weight) != null) {
                throw new SetupException(option + " names '" + name + "' twice");
            }
        }
        return weights;
    }

    private static double number(String text) {
        return NUMBER.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
    }
}

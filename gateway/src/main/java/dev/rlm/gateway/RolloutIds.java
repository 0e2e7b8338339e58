package dev.rlm.gateway;

import dev.rlm.sinks.event.Correlation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ids of the rollout that a request belongs to, by the names that trainers give them.
 *
 * @param values by name, of {@link #NAMES}
 */
record RolloutIds(Map<String, String> values) {
    static final String ROLLOUT = "rollout_id";
    static final List<String> NAMES = List.of(ROLLOUT, "invocation_id", "experiment_id", "run_id", "row_id");

    private static final int MAX_LENGTH = 1_024;

    RolloutIds {
        values = Map.copyOf(values);
    }

    /** The ids among tags such as {@code rollout_id:r-1}; of each name the first. */
    static RolloutIds ofTags(List<String> tags) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String tag : tags) {
            int colon = tag.indexOf(':');
            if (colon > 0 && NAMES.contains(tag.substring(0, colon)) && colon < tag.length() - 1) {
                values.putIfAbsent(tag.substring(0, colon), tag.substring(colon + 1));
            }
        }
        return new RolloutIds(values);
    }

    static RolloutIds of(Correlation correlation) {
        Map<String, String> values = new LinkedHashMap<>();
        put(values, ROLLOUT, correlation.rollout());
        put(values, "invocation_id", correlation.invocation());
        put(values, "experiment_id", correlation.experiment());
        put(values, "run_id", correlation.trainerRun());
        put(values, "row_id", correlation.row());
        return new RolloutIds(values);
    }

    private static void put(Map<String, String> values, String name, @Nullable String value) {
        if (value != null) {
            values.put(name, value);
        }
    }

    @Nullable
    String get(String name) {
        return values.get(name);
    }

    /** Adds those that it does not have. */
    RolloutIds or(RolloutIds others) {
        Map<String, String> both = new LinkedHashMap<>(others.values);
        both.putAll(values);
        return new RolloutIds(both);
    }

    /** Returns the rollout's id; where none is given, one that follows from the others. */
    String rollout(String unnamed) {
        String given = get(ROLLOUT);
        if (given != null) {
            return given;
        }
        List<String> others =
                NAMES.stream().filter(values::containsKey).map(values::get).toList();
        return others.isEmpty() ? unnamed : String.join("/", others);
    }

    /** Returns the tags by which trainers know them, such as {@code row_id:7}. */
    List<String> tags() {
        List<String> tags = new ArrayList<>();
        NAMES.stream().filter(values::containsKey).forEach(name -> tags.add(name + ":" + values.get(name)));
        return tags;
    }

    void check() throws RefusedException {
        for (Map.Entry<String, String> each : values.entrySet()) {
            String value = each.getValue();
            if (value.isBlank() || value.length() > MAX_LENGTH || value.chars().anyMatch(Character::isISOControl)) {
                throw new RefusedException(
                        400,
                        each.getKey()
                                + " is not valid: expected 1 to 1024 characters, none of them a control character");
            }
        }
    }

    Correlation correlation(String rollout, int attempt) {
        return Correlation.builder()
                .rollout(rollout)
                .invocation(get("invocation_id"))
                .experiment(get("experiment_id"))
                .trainerRun(get("run_id"))
                .row(get("row_id"))
                .sample(get("row_id"))
                .attempt(attempt)
                .build();
    }
}

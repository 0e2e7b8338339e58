package dev.rlm.server.rollout;

import dev.rlm.server.http.Access;
import dev.rlm.server.http.RefusedException;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ids of the rollout that a request belongs to, by the names that trainers give them. Rollouts of several jobs may have the same ids.
 *
 * @param job whose rollout it is, as a tag of its runs tells; {@link Access#ALL} where no token tells of one
 * @param values by name, of {@link #NAMES}
 */
public record RolloutIds(String job, Map<String, String> values) {
    /** Name of the rollout's own id. */
    public static final String ROLLOUT = "rollout_id";
    /** All names. */
    static final List<String> NAMES = List.of(ROLLOUT, "invocation_id", "experiment_id", "run_id", "row_id");

    private static final String JOB_TAG = "rollout_job";
    private static final int MAX_LENGTH = 1_024;

    public RolloutIds {
        values = Map.copyOf(values);
    }

    /** Returns the ids with these values, of no job. */
    public static RolloutIds of(Map<String, String> values) {
        return new RolloutIds(Access.ALL, values);
    }

    /** The ids among tags such as {@code rollout_id:r-1}; of each name the first. */
    static Map<String, String> ofTags(List<String> tags) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String tag : tags) {
            int colon = tag.indexOf(':');
            if (colon > 0 && NAMES.contains(tag.substring(0, colon)) && colon < tag.length() - 1) {
                values.putIfAbsent(tag.substring(0, colon), tag.substring(colon + 1));
            }
        }
        return values;
    }

    static RolloutIds of(RunInfo run) {
        Correlation correlation = run.correlation();
        Map<String, String> values = new LinkedHashMap<>();
        put(values, ROLLOUT, correlation.rollout());
        put(values, "invocation_id", correlation.invocation());
        put(values, "experiment_id", correlation.experiment());
        put(values, "run_id", correlation.trainerRun());
        put(values, "row_id", correlation.row());
        return new RolloutIds(job(run), values);
    }

    /** Returns the job whose rollout a run is. */
    static String job(RunInfo run) {
        return String.valueOf(run.tags().getOrDefault(JOB_TAG, Access.ALL));
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
    public RolloutIds or(Map<String, String> others) {
        Map<String, String> both = new LinkedHashMap<>(others);
        both.putAll(values);
        return new RolloutIds(job, both);
    }

    /** Returns what the same rollout of no other job has. */
    String key(String unnamed) {
        return key(job, rollout(unnamed));
    }

    static String key(String job, String rollout) {
        return job + "\n" + rollout; // no name has a line feed
    }

    /** Returns the rollout's id, else one made of the other ids; {@code unnamed} if there are none. */
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

    /** Writes them into the description of a run. */
    RunSpec.Builder into(RunSpec.Builder spec, String rollout, int attempt) {
        if (!job.equals(Access.ALL)) {
            spec.tag(JOB_TAG, job);
        }
        return spec.correlation(Correlation.builder()
                .rollout(rollout)
                .invocation(get("invocation_id"))
                .experiment(get("experiment_id"))
                .trainerRun(get("run_id"))
                .row(get("row_id"))
                .sample(get("row_id"))
                .attempt(attempt)
                .build());
    }
}

package dev.rlm.runner.job;

import dev.rlm.episodes.Role;
import dev.rlm.episodes.Sample;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Correlation;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A short name of a plan: jobs that run the same episodes have the same, and others have not, for all practical purposes. */
final class PlanDigest {
    private static final int BYTES = 8;

    private final MessageDigest digest;

    /**
     * The name of a plan, from all that decides what is run, and how it is found; not from how fast or where to it is recorded.
     *
     * @param run what all its runs have in common, as one of them tells it
     * @param settings what was set for plug-ins
     */
    static String of(RunSpec run, Map<String, String> settings, List<Role> roles) {
        Map<String, Object> params = new TreeMap<>(run.params());
        params.remove("dataset"); // what stands in the file counts, and not where it lies
        PlanDigest digest = new PlanDigest()
                .add(run.environment())
                .add(params)
                .add(run.tags())
                .add(settings)
                .add(run.maxSteps())
                .add(run.passReward())
                .add(run.passOn());
        Correlation ids = run.correlation();
        for (Object id :
                Arrays.asList(ids.experiment(), ids.epoch(), ids.trainStep(), ids.split(), ids.policyVersion())) {
            digest.add(String.valueOf(id));
        }
        for (Role role : roles) {
            Sample sample = role.sample();
            digest.add(sample.id()).add(sample.row()).add(sample.task()).add(role.model());
            digest.add(role.rollout()).add(role.seed());
        }
        return digest.toString();
    }

    private PlanDigest() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every Java has it
        }
    }

    private PlanDigest add(Object part) {
        byte[] bytes = part.toString().getBytes(StandardCharsets.UTF_8);
        digest.update(
                (bytes.length + ":").getBytes(StandardCharsets.UTF_8)); // so that no two lists of parts look alike
        digest.update(bytes);
        return this;
    }

    /** Values by name, in whichever order they are. */
    private PlanDigest add(Map<String, ?> parts) {
        new TreeMap<>(parts).forEach((name, value) -> add(name).add(String.valueOf(value)));
        return add(parts.size());
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(digest.digest(), 0, BYTES);
    }
}

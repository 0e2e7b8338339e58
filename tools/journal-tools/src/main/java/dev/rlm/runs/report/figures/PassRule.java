package dev.rlm.runs.report.figures;

import dev.rlm.sinks.RunSpec.PassOn;
import org.jspecify.annotations.Nullable;

/**
 * Rule by which runs count as solved.
 *
 * @param reward the lowest reward of a solved run; {@code null} to go by the end of each run
 * @param on the reward that is compared with it
 */
public record PassRule(@Nullable Double reward, PassOn on) {
    /** As the end of each run says it. */
    public static final PassRule RECORDED = new PassRule(null, PassOn.LAST);
}

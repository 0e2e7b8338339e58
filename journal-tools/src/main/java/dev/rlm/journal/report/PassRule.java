package dev.rlm.journal.report;

import dev.rlm.sinks.RunSpec.PassOn;
import org.jspecify.annotations.Nullable;

/**
 * What makes a run solved.
 *
 * @param reward from which reward on; {@code null} for what the end of each run says
 * @param on which reward that is
 */
record PassRule(@Nullable Double reward, PassOn on) {
    /** As the end of each run says it. */
    static final PassRule RECORDED = new PassRule(null, PassOn.LAST);
}

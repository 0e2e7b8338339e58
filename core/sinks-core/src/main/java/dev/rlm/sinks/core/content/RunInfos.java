package dev.rlm.sinks.core.content;

import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.redaction.Redaction;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Makes the part of events that describes their run out of its spec: without secrets, and with what this process knows besides. */
public final class RunInfos {
    private final Redaction redaction;
    private final RecordRedactor doors;
    private final @Nullable String rollout;

    /**
     * For the runs of a hub.
     *
     * @param rollout the rollout of runs that name none themselves; {@code null} if there is none
     */
    public RunInfos(Redaction redaction, RecordRedactor doors, @Nullable String rollout) {
        this.redaction = redaction;
        this.doors = doors;
        this.rollout = rollout;
    }

    public RunInfo of(RunSpec spec, Instant startedAt) {
        TraceContext parent = spec.parent() == null ? null : spec.parent().map(redaction::name);
        String answer = spec.expectedAnswer();
        return RunInfoBuilder.builder()
                .runId(redaction.name(spec.runId()))
                .startedAt(startedAt)
                .task(Content.of(spec.task(), redaction::text))
                .environment(redaction.name(spec.environment()))
                .model(redaction.name(spec.model()))
                .agent(name(spec.agent()))
                .agentVersion(name(spec.agentVersion()))
                .expectedAnswer(answer == null ? null : Content.of(answer, redaction::text))
                .maxSteps(spec.maxSteps())
                .seed(spec.seed())
                .passReward(spec.passReward())
                .params(redaction.values(spec.params()))
                .tags(doors.tags(spec.tags()))
                .correlation(doors.clean(correlation(spec.correlation(), parent)))
                .parent(parent)
                .build();
    }

    private @Nullable String name(@Nullable String name) {
        return name == null ? null : redaction.name(name);
    }

    /** Adds the rollout of the process and the parent run that the parent has told, unless the run has its own. */
    private Correlation correlation(Correlation given, @Nullable TraceContext parent) {
        Correlation known = given.rollout() == null && rollout != null ? given.withRollout(rollout) : given;
        if (parent == null || known.parentRun() != null) {
            return known;
        }
        return parent.baggageEntry(TraceContext.RUN_ID)
                .filter(runId -> !runId.isBlank())
                .map(known::withParentRun)
                .orElse(known);
    }
}

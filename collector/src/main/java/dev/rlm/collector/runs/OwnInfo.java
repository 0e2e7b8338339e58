package dev.rlm.collector.runs;

import dev.rlm.collector.otlp.Attributes;
import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.TraceContext;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Description of a run, as its own span, its marker, or any other of its spans tells it. */
final class OwnInfo {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private OwnInfo() {}

    static RunInfo of(String runId, ReceivedSpan span) {
        Attributes on = span.attributes();
        boolean isRoot = !on.flag(Names.MARKER) && on.has(Names.OUTCOME);
        return RunInfoBuilder.builder()
                .runId(runId)
                .startedAt(instant(span.start()))
                .task(Content.redacted(on.textOrEmpty(Names.TASK)))
                .environment(environment(span))
                .model(on.textOrEmpty(Names.MODEL))
                .agent(on.text(Names.AGENT))
                .agentVersion(on.text(Names.AGENT_VERSION))
                .expectedAnswer(content(on.text(Names.EXPECTED_ANSWER)))
                .maxSteps(on.count(Names.MAX_STEPS))
                .seed(on.whole(Names.SEED))
                .passReward(on.decimal(Names.PASS_REWARD))
                .tags(texts(on.below(Names.TAG)))
                .correlation(correlation(on))
                .parent(isRoot ? parent(span) : null)
                .build();
    }

    /** Returns the environment that a span names, else what sent it. */
    static String environment(ReceivedSpan span) {
        String said = span.attributes().text(Names.ENVIRONMENT);
        String name = said == null || said.isBlank() ? span.resource().text("service.name") : said;
        return name == null || name.isBlank() ? "otlp" : name;
    }

    /** Returns the context that keeps a run in the trace of its span: that of the span that it lies in, or a root's own. */
    static TraceContext trace(ReceivedSpan span) {
        String parent = span.parent() == null ? span.id() : span.parent();
        return new TraceContext("00-" + span.trace() + "-" + parent + "-01", null, null);
    }

    /** Returns the context of the span that the run's own lies in. */
    static @Nullable TraceContext parent(ReceivedSpan span) {
        return span.parent() == null ? null : trace(span);
    }

    private static Correlation correlation(Attributes on) {
        Long step = on.whole("rlm.train_step");
        return Correlation.builder()
                .experiment(on.text("rlm.experiment_id"))
                .invocation(on.text("rlm.invocation_id"))
                .rollout(on.text("rlm.rollout_id"))
                .trainerRun(on.text("rlm.trainer_run_id"))
                .sample(on.text("rlm.sample_id"))
                .row(on.text("rlm.row_id"))
                .trajectoryIndex(integer(on, "rlm.trajectory_index"))
                .attempt(integer(on, "rlm.attempt"))
                .epoch(integer(on, "rlm.epoch"))
                .trainStep(step)
                .split(on.text("rlm.split"))
                .policyVersion(on.text("rlm.policy_version"))
                .codeVersion(on.text("rlm.code_version"))
                .datasetVersion(on.text("rlm.dataset_version"))
                .parentRun(on.text("rlm.parent_run_id"))
                .jobSpan(on.text("rlm.job_span"))
                .build();
    }

    private static @Nullable Integer integer(Attributes on, String name) {
        Long value = on.whole(name);
        return value == null ? null : (Integer) (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, value));
    }

    static Map<String, String> texts(Map<String, Object> values) {
        return values.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, each -> each.getValue().toString()));
    }

    static @Nullable Content content(@Nullable String text) {
        return text == null ? null : Content.redacted(text);
    }

    static Instant instant(long epochNanos) {
        return Instant.ofEpochSecond(Math.floorDiv(epochNanos, SECOND), Math.floorMod(epochNanos, SECOND));
    }

    static long epochNanos(Instant time) {
        return time.getEpochSecond() * SECOND + time.getNano();
    }
}

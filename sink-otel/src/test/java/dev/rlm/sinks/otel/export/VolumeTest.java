package dev.rlm.sinks.otel.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpHistogram;
import dev.rlm.sinks.otel.backend.OtlpNumber;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ten thousand runs, of which a tenth and all that stand out are to be kept. */
@Tag("thorough")
@Timeout(120)
class VolumeTest {
    private static final int RUNS = 10_000;
    private static final int OPEN_AT_ONCE = 500;
    private static final int EVENTS = 5; // of a run: its start and end, those of its step, and a reward
    private static final int EVENTS_LEFT_OUT = 3;
    private static final int CHILDREN = 2; // spans of a run that may be left out: its step and the judge's reward
    private static final int KINDS = 40;
    private static final BigInteger NINE_TENTHS =
            BigInteger.ONE.shiftLeft(56).multiply(BigInteger.valueOf(9)).divide(BigInteger.TEN);

    @Test
    void tenThousandRuns_areKeptAsTheirIdsAndEndsSay() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("RLM_OTEL_SUCCESS_RATIO", "0.1", "RLM_OTEL_KEEP_REWARD", "0..0.9"))) {
            for (int from = 0; from < RUNS; from += OPEN_AT_ONCE) {
                runAtOnce(rig, from);
            }
            rig.flush();

            List<OtlpSpan> spans = rig.receiver().spans();
            List<String> all = ids(i -> true);
            List<String> kept = ids(i -> isChosen(i) || standsOut(i));
            List<String> others = ids(i -> !isChosen(i) && !standsOut(i));
            assertThat(ids(VolumeTest::isChosen)).hasSizeBetween(900, 1_100);
            assertThat(runIds(spans, named("rlm.run.started"))).isEqualTo(all);
            assertThat(runIds(spans, named("rlm.run"))).isEqualTo(all);
            assertThat(runIds(spans, named("rlm.step"))).isEqualTo(kept);
            assertThat(runIds(spans, named("rlm.reward"))).isEqualTo(kept);
            assertThat(runIds(spans, span -> "dropped".equals(span.attributes().get("rlm.detail"))))
                    .isEqualTo(others);
            measuredAll(rig);
            balanced(rig.ledger(), others.size());
            holdsNothing(rig);
        }
    }

    /** Many that are open at once, so that much is held. */
    private static void runAtOnce(Rig rig, int from) {
        List<Run> open = new ArrayList<>();
        for (int i = from; i < from + OPEN_AT_ONCE; i++) {
            Run run = start(rig, i);
            open.add(run);
            try (Step step = run.startStep();
                    Evaluation judge = step.startEvaluation("judge")) {
                rig.clock().advanceMillis(1);
                reward(judge, i);
                step.complete("");
            }
        }
        rig.flush();
        int undecided = ids(i -> !isChosen(i) && i % KINDS != 0, from, from + OPEN_AT_ONCE)
                .size();
        assertThat(rig.status().facts()).containsEntry("held_spans", (long) CHILDREN * undecided);
        for (int i = from; i < from + OPEN_AT_ONCE; i++) {
            end(open.get(i - from), i);
        }
    }

    private static Run start(Rig rig, int i) {
        Correlation attempt =
                Correlation.builder().attempt(i % KINDS == 0 ? 2 : 1).build();
        return rig.sinks()
                .startRun(RunSpec.builder("calc")
                        .runId(id(i))
                        .correlation(attempt)
                        .build());
    }

    private static void reward(Evaluation judge, int i) {
        switch (i % KINDS) {
            case 1 -> judge.absent("no answer");
            case 2 -> judge.reward(-0.01);
            case 3 -> judge.reward(0.91);
            case 4 -> judge.reward(0.0);
            case 5 -> judge.reward(0.9);
            default -> judge.reward(0.5);
        }
    }

    private static void end(Run run, int i) {
        switch (i % KINDS) {
            case 6 -> run.fail(new IllegalStateException("broken"));
            case 7 -> run.fail(RunStatus.DEADLINE_EXCEEDED, new TimeoutException("too late"));
            case 8 -> run.abort("user_stop");
            case 9 -> run.close();
            default -> run.complete("");
        }
    }

    private static boolean standsOut(int i) {
        return List.of(0, 1, 2, 3, 6, 7, 8, 9).contains(i % KINDS);
    }

    /** What the specification says of the trace id, which is half of the run id's hash. */
    private static boolean isChosen(int i) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(id(i).getBytes(StandardCharsets.UTF_8));
            BigInteger random = new BigInteger(1, Arrays.copyOfRange(hash, 9, 16));
            return random.compareTo(NINE_TENTHS) >= 0;
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static void measuredAll(Rig rig) {
        assertThat(lastSum(rig, "rlm.runs")).isEqualTo(RUNS);
        assertThat(lastSum(rig, "rlm.steps")).isEqualTo(RUNS);
        assertThat(lastSum(rig, "rlm.runs.active")).isZero();
        List<OtlpHistogram> rewards = rig.receiver().histograms("rlm.reward");
        assertThat(rewards.get(rewards.size() - 1).count()).isEqualTo(RUNS - RUNS / KINDS);
    }

    /** The sum of each series' last value. */
    private static long lastSum(Rig rig, String metric) {
        Map<Object, Long> last = rig.receiver().numbers(metric).stream()
                .collect(Collectors.toMap(OtlpNumber::attributes, point -> (Long) point.value(), (a, b) -> b));
        return last.values().stream().mapToLong(Long::longValue).sum();
    }

    private static void balanced(Ledger ledger, long others) {
        long left = others * EVENTS_LEFT_OUT;
        assertThat(ledger)
                .isEqualTo(Ledger.of((long) RUNS * EVENTS, (long) RUNS * EVENTS - left, Map.of("not_sampled", left)));
        assertThat(ledger.lost()).isZero();
    }

    private static void holdsNothing(Rig rig) {
        assertThat(rig.status().facts())
                .containsEntry("held_spans", 0L)
                .containsEntry("held_bytes", 0L)
                .containsEntry("runs_kept_for_room", 0L);
    }

    private static Predicate<OtlpSpan> named(String name) {
        return span -> span.name().equals(name);
    }

    /** The ids of the runs that the spans are of, each as often as there are spans, in order. */
    private static List<String> runIds(List<OtlpSpan> spans, Predicate<OtlpSpan> chosen) {
        return spans.stream()
                .filter(chosen)
                .map(span -> (String) span.attributes().get("rlm.run_id"))
                .sorted()
                .toList();
    }

    private static List<String> ids(IntPredicate chosen) {
        return ids(chosen, 0, RUNS);
    }

    private static List<String> ids(IntPredicate chosen, int from, int to) {
        return IntStream.range(from, to)
                .filter(chosen)
                .mapToObj(VolumeTest::id)
                .sorted()
                .toList();
    }

    private static String id(int i) {
        return "run-" + i;
    }
}

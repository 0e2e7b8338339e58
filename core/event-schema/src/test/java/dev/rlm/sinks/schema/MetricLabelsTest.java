package dev.rlm.sinks.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MetricLabelsTest {
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");

    @Test
    void usualLabels_areThoseOfTheDocumentation() throws IOException {
        String page = Files.readString(Path.of("..", "..", "docs", "report.md"));
        String table = page.substring(page.indexOf("| label | names |"));
        Map<String, String> documented = new TreeMap<>();
        table.substring(0, table.indexOf("\n\n")).lines().skip(2).forEach(row -> {
            String[] cells = row.split("\\|", -1);
            NAME.matcher(cells[2]).results().forEach(name -> documented.put(name.group(1), cells[1].strip()));
        });

        Map<String, String> known = new TreeMap<>();
        for (UsualMetric metric : UsualMetric.values()) {
            metric.names().forEach(name -> known.put(name, metric.label()));
        }
        assertThat(documented).isEqualTo(known);
    }

    @ParameterizedTest
    @CsvSource({
        "validation/data/reward/mean@1, VALIDATION_REWARD",
        "val-core/openai/gsm8k/acc/mean@8, VALIDATION_REWARD",
        "eval/reward, VALIDATION_REWARD",
        "evaluator/mean_return, VALIDATION_REWARD",
        "train/reward, REWARD",
        "train/ppo_kl, KL_OF_UPDATE",
        "critic/rewards/mean, PENALISED_REWARD",
        "critic/grad_norm, CRITIC_GRADIENT_NORM",
        "actor/ppo_ratio_clipfrac@sum, CLIPPED",
        "trajectory/num_turns, TURNS",
        "trajectory/num_turns/mean, TURNS",
        "trace/num_llm_calls, MODEL_CALLS",
        "trace/num_llm_calls/avg, MODEL_CALLS",
        "trace/training/epoch, EPOCH",
        "trajectory/response_length/clip_ratio, RESPONSES_CUT",
        "response_length/clip_ratio, RESPONSES_CUT",
        "rollout/truncated_ratio, RESPONSES_CUT",
        "rollout/raw_reward, REWARD",
        "rewards/format/mean, REWARD_PART",
        "trace/reward_metrics/judge/format/avg, REWARD_PART",
        "timing/s/step, STEP_TIME",
        "timing_s/update_actor, STEP_PART_TIME",
        "fully_async/count/staleness_samples, STALE_SAMPLES",
        "fully_async/processing_time/avg, ASYNCHRONY"
    })
    void names_ofTrainers_areRecognised(String name, UsualMetric metric) {
        assertThat(UsualMetric.of(name)).hasValue(metric);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"val/clipfrac_avg", "eval/entropy", "trajectory/num_turns/max", "train/", "mine/kl", "critic"})
    void names_thatMeanSomethingElse_areNotRecognised(String name) {
        assertThat(UsualMetric.of(name)).isEmpty();
    }

    @Test
    void name_withTheLabelOfAUsualNumber_isThatNumber() {
        MetricLabels labels = new MetricLabels(Map.of("drift", "kl divergence of the update", "kl", "My KL"));
        assertThat(labels.metric("drift")).hasValue(UsualMetric.KL_OF_UPDATE);
        assertThat(labels.metric("kl")).hasValue(UsualMetric.KL);
        assertThat(labels.metric("mine")).isEmpty();
    }

    @Test
    void label_thatIsSaid_countsBeforeTheUsualOne() {
        MetricLabels labels = new MetricLabels(Map.of("kl", "KL"));
        assertThat(labels.label("kl")).hasValue("KL");
        assertThat(labels.label("global_grad_norm")).hasValue("Gradient norm");
        assertThat(labels.label("mine")).isEmpty();
    }
}

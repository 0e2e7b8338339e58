package dev.rlm.runs.exchange.training;

import dev.rlm.cli.recorded.TokenTurn;
import dev.rlm.journal.RunSummary;
import dev.rlm.json.Json;
import dev.rlm.runs.exchange.output.Export;
import dev.rlm.runs.exchange.output.ExportFormat;
import dev.rlm.runs.exchange.output.ExportStream;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.EventField;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Samples to train on, one JSON object a sequence of tokens: ids, loss mask and log probabilities as the server gave them,
 * with the run's reward.
 *
 * @param unrewarded whether to write runs without a usable reward
 */
public record TokenExport(boolean unrewarded) implements ExportFormat {
    public static final String NAME = "tokens";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void write(Export export) throws IOException {
        ExportStream out = export.open("");
        export.each(this::format, formatted -> {
            out.write(formatted.lines().array());
            export.written(formatted.count() == 0 ? 0 : 1, formatted.count());
            formatted.leftOut().forEach(export::leftOut);
        });
    }

    /** Lines of a run, and how much of it is left out for which reason. */
    private record Formatted(ByteBuffer lines, int count, Map<String, Long> leftOut) {
        static Formatted nothing(String reason) {
            return new Formatted(ByteBuffer.wrap(new byte[0]), 0, Map.of(reason, 1L));
        }
    }

    private Formatted format(RunSummary run, List<RunEvent> events) {
        List<TokenTurn> turns = TokenTurn.of(events);
        if (turns.isEmpty()) {
            return Formatted.nothing("no model calls");
        } else if (RunFields.reward(run) == null && !unrewarded) {
            return Formatted.nothing("no usable reward");
        }
        Map<String, Long> leftOut = new LinkedHashMap<>();
        turns.stream()
                .flatMap(turn -> turn.flaws().stream().limit(1))
                .forEach(flaw -> leftOut.merge("model calls: " + flaw.reason(), 1L, Long::sum));
        List<TokenSample> samples = TokenSample.of(turns);
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (int branch = 0; branch < samples.size(); branch++) {
            lines.writeBytes(Json.bytes(line(run, branch, samples.get(branch))));
            lines.write('\n');
        }
        return new Formatted(ByteBuffer.wrap(lines.toByteArray()), samples.size(), leftOut);
    }

    private static Map<String, @Nullable Object> line(RunSummary summary, int branch, TokenSample sample) {
        List<TokenTurn> turns = sample.turns();
        RunInfo run = turns.get(0).call().run();
        Map<String, @Nullable Object> line = RunFields.ids(run);
        line.put("group", run.correlation().sample());
        line.put("branch", branch);
        line.put("branch_reason", sample.cause() == null ? null : EventField.word(sample.cause()));
        line.put("branch_at", sample.cause() == null ? null : (Integer) sample.place());
        line.put("calls", turns.stream().map(turn -> turn.call().seq()).toList());
        line.put("environment", run.environment());
        line.put("model", turns.get(0).call().model());
        line.put("split", run.correlation().split());
        line.put("train_step", run.correlation().trainStep());
        line.put("policy_version", run.correlation().policyVersion());
        line.put(
                "weights_versions",
                turns.stream()
                        .map(turn -> turn.tokens().weightsVersion())
                        .filter(Objects::nonNull)
                        .distinct()
                        .toList());
        line.put("finish_reason", turns.get(turns.size() - 1).call().finishReason());
        RunFields.result(summary, line);
        line.put("prompt_token_ids", sample.promptIds());
        line.put("response_token_ids", sample.responseIds());
        line.put("loss_mask", sample.lossMask());
        line.put("response_logprobs", sample.logProbabilities());
        return line;
    }
}

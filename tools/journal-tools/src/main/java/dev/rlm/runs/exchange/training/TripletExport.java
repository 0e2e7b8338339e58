package dev.rlm.runs.exchange.training;

import dev.rlm.cli.recorded.Marks;
import dev.rlm.journal.RunSummary;
import dev.rlm.runs.exchange.output.Export;
import dev.rlm.runs.exchange.output.ExportFormat;
import dev.rlm.runs.exchange.output.ExportStream;
import dev.rlm.runs.exchange.transcript.ChatMessage;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.runs.exchange.transcript.Transcript;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.TokenTrace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Export for training a model: prompt, response and reward of each of its turns, one JSON object a line. Token ids
 * are those that the server gave; of a text that is not as the model saw it (redacted or cut) they are left out, since they
 * would give it away or not fit.
 *
 * @param unrewarded whether to write runs without a usable reward
 * @param redacted whether to write records of which a text is redacted or cut
 */
public record TripletExport(boolean unrewarded, boolean redacted) implements ExportFormat {
    public static final String NAME = "triplets";

    private static final TokenTrace NO_TOKENS = new TokenTrace(List.of(), List.of(), List.of(), null);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void write(Export export) throws IOException {
        ExportStream out = export.open("");
        export.each((run, events) -> {
            Transcript transcript = new Transcript(RunFields.run(run, events), events);
            if (transcript.calls().isEmpty()) {
                export.leftOut("no model calls", 1);
            } else if (RunFields.reward(run) == null && !unrewarded) {
                export.leftOut("no usable reward", 1);
            } else {
                List<Map<String, @Nullable Object>> turns = turns(run, events, transcript);
                for (Map<String, @Nullable Object> turn : turns) {
                    out.line(turn);
                }
                export.leftOut("records redacted or cut", transcript.calls().size() - turns.size());
                export.written(turns.isEmpty() ? 0 : 1, turns.size());
            }
        });
    }

    private List<Map<String, @Nullable Object>> turns(RunSummary run, List<RunEvent> events, Transcript transcript) {
        List<Map<String, @Nullable Object>> turns = new ArrayList<>();
        for (int turn = 0; turn < transcript.calls().size(); turn++) {
            ModelCalled call = transcript.calls().get(turn);
            List<ChatMessage> prompt = transcript.prompt(call);
            Marks ofPrompt = Marks.of(prompt.stream().map(ChatMessage::message));
            Marks ofResponse = Marks.of(Stream.of(Objects.requireNonNull(call.reply())));
            if (redacted || (ofPrompt.isClean() && ofResponse.isClean())) {
                Map<String, @Nullable Object> line = line(run, turn, call, prompt);
                line.put("step_reward", RunFields.isRewarded(run) ? stepReward(events, call.step()) : null);
                tokens(line, call.tokens(), ofPrompt, ofResponse);
                turns.add(line);
            }
        }
        return turns;
    }

    private static Map<String, @Nullable Object> line(
            RunSummary summary, int turn, ModelCalled call, List<ChatMessage> prompt) {
        RunInfo run = call.run();
        Map<String, @Nullable Object> line = RunFields.ids(run);
        line.put("group", run.correlation().sample());
        line.put("turn", turn);
        line.put("step", call.step() == RunEvent.NO_STEP ? null : call.step());
        line.put("environment", run.environment());
        line.put("model", call.model());
        line.put("split", run.correlation().split());
        line.put("train_step", run.correlation().trainStep());
        line.put("policy_version", run.correlation().policyVersion());
        line.put("prompt", orNull(prompt.stream().map(ChatMessage::toJson).toList()));
        line.put("response", new ChatMessage(Objects.requireNonNull(call.reply()), call.time(), false).toJson());
        line.put("finish_reason", call.finishReason());
        RunFields.result(summary, line);
        return line;
    }

    /** Returns the sum of the step's rewards; {@code null} if it is not finite or the call is outside of steps. */
    private static @Nullable Double stepReward(List<RunEvent> events, int step) {
        if (step == RunEvent.NO_STEP) {
            return null;
        }
        double sum = 0;
        for (RunEvent event : events) {
            if (event instanceof RewardGiven reward && reward.step() == step) {
                sum += reward.value();
            }
        }
        return Double.isFinite(sum) ? (Double) sum : null;
    }

    private static void tokens(
            Map<String, @Nullable Object> line, @Nullable TokenTrace tokens, Marks ofPrompt, Marks ofResponse) {
        TokenTrace known = tokens == null ? NO_TOKENS : tokens;
        boolean response = ofResponse.isClean();
        line.put("prompt_token_ids", ofPrompt.isClean() ? orNull(known.promptIds()) : null);
        line.put("response_token_ids", response ? orNull(known.responseIds()) : null);
        line.put("response_logprobs", response && matches(known) ? orNull(known.logProbabilities()) : null);
        line.put("response_token_texts", response ? orNull(known.responseTexts()) : null);
        line.put("weights_version", known.weightsVersion());
        line.put("redacted", ofPrompt.redacted() || ofResponse.redacted());
        line.put("truncated", ofPrompt.cut() || ofResponse.cut());
    }

    /** Returns whether there is one log probability for each token; taken for granted if no ids are known. */
    private static boolean matches(TokenTrace tokens) {
        return tokens.responseIds().isEmpty()
                || tokens.responseIds().size() == tokens.logProbabilities().size();
    }

    private static @Nullable List<?> orNull(List<?> values) {
        return values.isEmpty() ? null : values;
    }
}

package dev.rlm.runs.report.tokens;

import dev.rlm.cli.recorded.TokenTurn;
import dev.rlm.cli.recorded.TokenTurn.Flaw;
import dev.rlm.runs.exchange.training.TokenSample;
import dev.rlm.runs.report.figures.RunCounter;
import dev.rlm.runs.report.figures.RunFacts;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.schema.EventField;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** An audit by rules of the tokens that runs are trained with: those of the agent's calls, and not of judges'. */
public final class TokenAudit implements RunCounter {
    /** The events that it needs. */
    public static final Set<Class<? extends RunEvent>> KINDS = Set.of(ModelCalled.class, SpanRecorded.class);

    private static final Set<String> CUT = Set.of("length", "max_tokens", "max_output_tokens");
    private static final String UNREADABLE = "\uFFFD"; // stands for bytes of a character that several tokens make up

    private final Map<TokenRule, TokenFinding> findings = new EnumMap<>(TokenRule.class);
    private long runs;
    private long calls;
    private long callsWithIds;

    public TokenAudit() {
        for (TokenRule rule : TokenRule.values()) {
            findings.put(rule, new TokenFinding(rule));
        }
    }

    @Override
    public void add(RunFacts run) {
        List<TokenTurn> turns = TokenTurn.of(run.events());
        runs++;
        calls += turns.size();
        String weights = null;
        for (TokenTurn turn : turns) {
            ids(turn);
            texts(turn);
            String reason = turn.call().finishReason();
            if (reason != null) {
                apply(TokenRule.TRUNCATED_REPLY, turn, isCut(reason));
            }
            String version = turn.tokens().weightsVersion();
            if (version != null) {
                apply(TokenRule.WEIGHTS_CHANGED, turn, weights != null && !weights.equals(version));
                weights = version;
            }
        }
        prefixes(turns);
    }

    /** Returns whether a reply that ended for that reason reached the limit of its length. */
    public static boolean isCut(String finishReason) {
        return CUT.contains(finishReason.toLowerCase(Locale.ROOT));
    }

    private void ids(TokenTurn turn) {
        TokenTrace tokens = turn.tokens();
        boolean prompt = !tokens.promptIds().isEmpty();
        boolean response = !tokens.responseIds().isEmpty();
        boolean logs = !tokens.logProbabilities().isEmpty();
        callsWithIds += prompt && response ? 1 : 0;
        apply(
                TokenRule.MISSING_IDS,
                turn,
                !prompt || !response,
                prompt ? "of_response" : response ? "of_prompt" : "of_both");
        if (response) {
            apply(TokenRule.MISSING_LOGPROBS, turn, !logs);
        }
        if (logs) {
            apply(TokenRule.LOGPROB_LENGTHS, turn, turn.flaws().contains(Flaw.LENGTHS));
            apply(TokenRule.IMPOSSIBLE_LOGPROBS, turn, turn.flaws().contains(Flaw.IMPOSSIBLE));
        }
        if (prompt || response) {
            apply(TokenRule.ALTERED_TEXT, turn, turn.flaws().contains(Flaw.ALTERED));
        }
    }

    private void texts(TokenTurn turn) {
        TokenTrace tokens = turn.tokens();
        if (!tokens.responseLengths().isEmpty() && !tokens.responseIds().isEmpty()) {
            apply(
                    TokenRule.TEXT_LENGTHS,
                    turn,
                    tokens.responseLengths().size() != tokens.responseIds().size());
        }
        String joined = String.join("", tokens.responseTexts());
        if (!joined.isEmpty() && !joined.contains(UNREADABLE) && !turn.flaws().contains(Flaw.ALTERED)) {
            Message reply = Objects.requireNonNull(turn.call().reply()); // of a turn
            apply(
                    TokenRule.TEXT_MISMATCH,
                    turn,
                    texts(reply).stream().anyMatch(text -> !joined.contains(text.strip())));
        }
    }

    private static List<String> texts(Message reply) {
        return reply.parts().isEmpty()
                ? List.of(reply.content().text())
                : reply.parts().stream()
                        .filter(MessagePart::isText)
                        .map(part -> part.text().text())
                        .toList();
    }

    /** Each call without a flaw, but for the first of a run, is to continue one before it. */
    private void prefixes(List<TokenTurn> turns) {
        for (TokenSample sample : TokenSample.of(turns)) {
            TokenSample.Break cause = sample.cause();
            if (cause != null) {
                boolean broken = cause != TokenSample.Break.LOGPROBS_CHANGED;
                apply(TokenRule.BROKEN_PREFIX, sample.turns().get(0), broken, EventField.word(cause));
            }
            sample.turns().stream().skip(1).forEach(turn -> apply(TokenRule.BROKEN_PREFIX, turn, false));
        }
    }

    private void apply(TokenRule rule, TokenTurn turn, boolean broken) {
        apply(rule, turn, broken, "");
    }

    private void apply(TokenRule rule, TokenTurn turn, boolean broken, String reason) {
        TokenFinding finding = Objects.requireNonNull(findings.get(rule));
        finding.check();
        if (broken) {
            finding.find(turn.call().run().runId(), turn.call().seq(), reason);
        }
    }

    long runs() {
        return runs;
    }

    long calls() {
        return calls;
    }

    /** Returns how many calls have ids of their prompt and of their response. */
    long callsWithIds() {
        return callsWithIds;
    }

    /** Returns what came of each rule. */
    Collection<TokenFinding> findings() {
        return findings.values();
    }
}

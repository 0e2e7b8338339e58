package dev.rlm.cli.recorded;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.TokenTrace;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A reply of the model to the agent, with its tokens.
 *
 * @param flaws for each of which its tokens are not to be trained on
 */
public record TokenTurn(ModelCalled call, TokenTrace tokens, Set<Flaw> flaws) {
    private static final TokenTrace NO_TOKENS = new TokenTrace(List.of(), List.of(), List.of(), null);
    private static final double ROUNDING = 1e-3; // of the logarithm of a probability of 1

    /** A reason for which tokens are not to be trained on. */
    public enum Flaw {
        NO_IDS("token ids missing"),
        LENGTHS("ids and log probabilities of different lengths"),
        IMPOSSIBLE("log probabilities not finite, or above 0"),
        ALTERED("texts redacted or cut");

        private final String reason;

        Flaw(String reason) {
            this.reason = reason;
        }

        /** Returns it in the words in which an export counts it. */
        public String reason() {
            return reason;
        }
    }

    /** Returns the turns of a run, in their order; calls of judges are none. */
    public static List<TokenTurn> of(List<RunEvent> events) {
        List<TokenTurn> turns = new ArrayList<>();
        List<List<Integer>> altered = new ArrayList<>(); // ids of texts that are not as they were
        for (ModelCalled call : new OwnCalls(events).of(ModelCalled.class, events)) {
            TokenTurn turn = of(call, altered);
            turns.add(turn);
            if (turn.flaws.contains(Flaw.ALTERED)) {
                List<Integer> ids = new ArrayList<>(turn.tokens.promptIds());
                if (isIntact(prompt(call))) {
                    ids.addAll(turn.tokens.responseIds());
                }
                altered.add(ids);
            }
        }
        return turns;
    }

    private static TokenTurn of(ModelCalled call, List<List<Integer>> altered) {
        TokenTrace tokens = call.tokens() == null ? NO_TOKENS : call.tokens();
        List<Integer> prompt = tokens.promptIds();
        List<Double> logs = tokens.logProbabilities();
        boolean intact = isIntact(prompt(call)) && isIntact(reply(call));
        Set<Flaw> flaws = EnumSet.noneOf(Flaw.class);
        add(flaws, Flaw.NO_IDS, prompt.isEmpty() || tokens.responseIds().isEmpty());
        add(
                flaws,
                Flaw.LENGTHS,
                !logs.isEmpty() && logs.size() != tokens.responseIds().size());
        add(flaws, Flaw.IMPOSSIBLE, logs.stream().anyMatch(log -> !Double.isFinite(log) || log > ROUNDING));
        add(flaws, Flaw.ALTERED, !intact || altered.stream().anyMatch(ids -> mayRepeat(call, prompt, ids)));
        return new TokenTurn(call, tokens, flaws);
    }

    private static void add(Set<Flaw> flaws, Flaw flaw, boolean has) {
        if (has) {
            flaws.add(flaw);
        }
    }

    private static Stream<Content> prompt(ModelCalled call) {
        return Stream.concat(
                call.messages().stream().flatMap(Marks::texts),
                Stream.of(call.systemInstructions(), call.toolDefinitions()).filter(Objects::nonNull));
    }

    private static Stream<Content> reply(ModelCalled call) {
        return Stream.concat(
                Stream.ofNullable(call.reply()).flatMap(Marks::texts),
                Stream.ofNullable(call.tokens()).map(TokenTrace::responseText).filter(Objects::nonNull));
    }

    private static boolean isIntact(Stream<Content> texts) {
        return texts.noneMatch(Content::isAltered);
    }

    /** Returns whether a prompt that does not show all its messages may hold these ids. */
    private static boolean mayRepeat(ModelCalled call, List<Integer> prompt, List<Integer> ids) {
        boolean begins = !ids.isEmpty()
                && ids.size() <= prompt.size()
                && prompt.subList(0, ids.size()).equals(ids);
        return begins || call.messages().isEmpty();
    }
}

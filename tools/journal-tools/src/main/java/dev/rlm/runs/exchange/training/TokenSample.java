package dev.rlm.runs.exchange.training;

import dev.rlm.cli.recorded.TokenTurn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns of a run of which each prompt begins with the ids of the turn before, its prompt and its response: one sequence
 * of tokens. Those that no model gave, such as the answers of tools, are not to be trained on.
 */
public final class TokenSample {
    private static final int LARGER = 2;

    private final @Nullable Break cause;
    private final int place;
    private final List<TokenTurn> turns = new ArrayList<>();
    private int[] ids = {};
    private int[] mask = {};
    private double[] logs = {};
    private int length;

    /** A reason for which a turn continues none of the sequences before it, but begins another. */
    public enum Break {
        /** Its prompt is the beginning of the sequence, as where a reply was asked for again. */
        PROMPT_SHORTER,
        /** Its prompt differs from the ids before a reply. */
        PROMPT_CHANGED,
        /** Its prompt differs from the ids of a reply, as where that was tokenized again. */
        RESPONSE_CHANGED,
        /** It has log probabilities and the sequence has none, or the other way round. */
        LOGPROBS_CHANGED
    }

    private TokenSample(@Nullable Break cause, int place) {
        this.cause = cause;
        this.place = place;
    }

    /** Returns the sequences of a run, by their first turns. Turns with a flaw are in none. */
    public static List<TokenSample> of(List<TokenTurn> turns) {
        List<TokenSample> samples = new ArrayList<>();
        for (TokenTurn turn : turns) {
            if (turn.flaws().isEmpty()) {
                sampleOf(turn, samples).add(turn);
            }
        }
        return samples;
    }

    /** Returns the longest sequence that the turn continues, else a new one: apart from that with which it has most in common. */
    private static TokenSample sampleOf(TokenTurn turn, List<TokenSample> samples) {
        TokenSample continued = null;
        TokenSample nearest = null;
        int most = -1;
        for (TokenSample sample : samples) {
            int common = sample.common(turn.tokens().promptIds());
            if (common == sample.length && (continued == null || common >= continued.length)) {
                continued = sample;
            }
            if (common >= most) {
                nearest = sample;
                most = common;
            }
        }
        if (continued != null && continued.hasLogs() == hasLogs(turn)) {
            return continued;
        }
        TokenSample made = nearest == null
                ? new TokenSample(null, 0)
                : continued != null
                        ? new TokenSample(Break.LOGPROBS_CHANGED, continued.length)
                        : new TokenSample(nearest.cause(turn, most), most);
        samples.add(made);
        return made;
    }

    private int common(List<Integer> prompt) {
        int most = Math.min(length, prompt.size());
        int common = 0;
        while (common < most && ids[common] == prompt.get(common)) {
            common++;
        }
        return common;
    }

    private Break cause(TokenTurn turn, int common) {
        if (common == turn.tokens().promptIds().size()) {
            return Break.PROMPT_SHORTER;
        }
        return mask[common] == 1 ? Break.RESPONSE_CHANGED : Break.PROMPT_CHANGED;
    }

    private boolean hasLogs() {
        return hasLogs(turns.get(0));
    }

    private static boolean hasLogs(TokenTurn turn) {
        return !turn.tokens().logProbabilities().isEmpty();
    }

    private void add(TokenTurn turn) {
        turns.add(turn);
        List<Integer> prompt = turn.tokens().promptIds();
        List<Integer> response = turn.tokens().responseIds();
        List<Double> given = turn.tokens().logProbabilities();
        makeRoom(prompt.size() + response.size());
        for (int i = length; i < prompt.size(); i++) {
            ids[i] = prompt.get(i);
        }
        length = prompt.size();
        for (int i = 0; i < response.size(); i++) {
            ids[length] = response.get(i);
            mask[length] = 1;
            logs[length] = given.isEmpty() ? 0 : given.get(i);
            length++;
        }
    }

    private void makeRoom(int size) {
        if (size > ids.length) {
            int room = turns.size() == 1 ? size : Math.max(size, LARGER * ids.length);
            ids = Arrays.copyOf(ids, room);
            mask = Arrays.copyOf(mask, room);
            logs = Arrays.copyOf(logs, room);
        }
    }

    /** Returns the reason for which its first turn continues no other; {@code null} for the first of a run. */
    public @Nullable Break cause() {
        return cause;
    }

    /** Returns how many ids that turn's prompt has in common with the sequence that it is nearest to. */
    int place() {
        return place;
    }

    /** Returns its turns, at least one. */
    public List<TokenTurn> turns() {
        return turns;
    }

    int[] promptIds() {
        return Arrays.copyOf(ids, promptLength());
    }

    /** Returns all ids behind the first prompt. */
    int[] responseIds() {
        return Arrays.copyOfRange(ids, promptLength(), length);
    }

    /** Returns 1 for each of these that a model gave, else 0. */
    int[] lossMask() {
        return Arrays.copyOfRange(mask, promptLength(), length);
    }

    /** Returns the log probability of each of these, 0 where no model gave it; {@code null} where none are known. */
    double @Nullable [] logProbabilities() {
        return hasLogs() ? Arrays.copyOfRange(logs, promptLength(), length) : null;
    }

    private int promptLength() {
        return turns.get(0).tokens().promptIds().size();
    }
}

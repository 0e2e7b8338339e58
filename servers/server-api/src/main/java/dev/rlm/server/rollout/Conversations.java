package dev.rlm.server.rollout;

import dev.rlm.json.Json;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Conversations with a model, numbered from 1 on: a call belongs to the one whose messages it repeats, with an answer behind them.
 * One that repeats none begins the next. Safe for use by several threads.
 */
public final class Conversations {
    private static final int REMEMBERED = 65_536;

    private int begun; // guarded by this, as is the next
    private final Map<String, Integer> numbers; // by the hash of all messages of a call

    /** Makes those of which none has begun. */
    public Conversations() {
        this.numbers = new LinkedHashMap<>();
    }

    /** Makes those that go on as others do now. */
    Conversations(Conversations others) {
        synchronized (others) {
            this.begun = others.begun;
            this.numbers = new LinkedHashMap<>(others.numbers);
        }
    }

    /**
     * Returns the number of the conversation that a call belongs to, and remembers the call.
     *
     * @param messages that the model is shown, as in OpenAI's chat completions
     */
    public synchronized int add(Collection<JsonNode> messages) {
        MessageDigest digest = digest();
        Integer continued = null;
        String all = "";
        for (JsonNode message : messages) {
            boolean answer = message.path("role").stringValue("").equals("assistant");
            Integer known = answer ? numbers.get(all) : null;
            continued = known == null ? continued : known;
            digest.update(Json.bytes(message));
            all = hash(digest);
        }
        int number = continued == null ? ++begun : continued;
        remember(all, number);
        return number;
    }

    private void remember(String messages, int number) {
        numbers.remove(messages); // to be the youngest
        numbers.put(messages, number);
        if (numbers.size() > REMEMBERED) {
            var eldest = numbers.keySet().iterator();
            eldest.next();
            eldest.remove();
        }
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // each Java has it
        }
    }

    private static String hash(MessageDigest digest) {
        try {
            return HexFormat.of().formatHex(((MessageDigest) digest.clone()).digest());
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e); // Java's own can be cloned
        }
    }
}

package dev.rlm.gateway;

import dev.rlm.cli.rollout.RolloutIds;
import dev.rlm.json.Json;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Rule by which each conversation is a rollout of its own: a call belongs to the one whose messages it repeats, with an answer
 * behind them. One that repeats none begins the next. Safe for use by several threads.
 */
final class Conversations implements Forwarder.Naming {
    private static final int REMEMBERED = 65_536;

    private final String rollout;
    private int begun; // guarded by this, as is the next
    private final Map<String, String> rollouts = new LinkedHashMap<>(); // by the hash of all messages of a call

    /** Conversations of a command; the rollout of each is called after it, with a number. */
    Conversations(String rollout) {
        this.rollout = rollout;
    }

    @Override
    public synchronized RolloutIds of(RolloutIds given, ObjectNode chat) {
        MessageDigest digest = digest();
        String known = null;
        String all = "";
        for (JsonNode message : Json.elements(chat.path("messages"))) {
            String continued = message.path("role").stringValue("").equals("assistant") ? rollouts.get(all) : null;
            known = continued == null ? known : continued;
            digest.update(Json.bytes(message));
            all = hash(digest);
        }
        String id = known == null ? rollout + "-" + ++begun : known;
        remember(all, id);
        return new RolloutIds(given.job(), Map.of(RolloutIds.ROLLOUT, id)).or(given.values());
    }

    private void remember(String messages, String id) {
        rollouts.remove(messages); // to be the youngest
        rollouts.put(messages, id);
        if (rollouts.size() > REMEMBERED) {
            var eldest = rollouts.keySet().iterator();
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
